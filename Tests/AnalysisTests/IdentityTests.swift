import Testing

@testable import Analysis

@Suite struct IdentityTests {
    /// 50 W throughout: 0.5 J a step of 10 ms, and nothing above idle.
    @Test func energyAndRateShareTheirDivisors() throws {
        var run = SyntheticRun()
        run.seconds = 120
        run.watts = 50
        let record = try run.record
        #expect(record.brokenIdentities.isEmpty, "\(record.brokenIdentities)")
        #expect(record.total.includes == ["rapl:package-0"])
        let metrics = record.metrics
        expect(metrics.decode.gross.watts, near: 50, within: 1e-3)
        expect(metrics.decode.gross.joulesPerToken, near: 0.5, within: 1e-3)
        expect(metrics.prefill.gross.joulesPerToken, near: 50 / 256.0, within: 1e-3)
        expect(metrics.cycle.gross.joulesPerToken, near: 50 * 1.51 / 101, within: 1e-3)
        expect(metrics.loadCold.gross.joules, near: 100, within: 1e-3)
        expect(metrics.idle.gross.watts, near: 50, within: 1e-3)
        expect(metrics.firstUse.joules, near: 50 * (2 + 0.5 + 1.51), within: 1e-3)
        #expect(abs(metrics.decode.net.watts.number ?? 1) < 0.05)
        #expect(metrics.perMinute.count == 2)
        for minute in metrics.perMinute {
            expect(minute.watts, near: 50, within: 1e-3)
            // 60 s hold 39.7 cycles of 101 tokens.
            expect(minute.joulesPerToken, near: 50 * 1.51 / 101, within: 0.02)
        }
        #expect(record.sources.map(\.id) == ["rapl:package-0"])
        #expect(record.sources[0].updatePeriodSeconds.number != nil)
    }

    /// 50 W at 100 steps a second are 0.5 J a step.
    @Test func theIdentityCheckSeesAWrongDivisor() throws {
        var run = SyntheticRun()
        run.seconds = 20
        var record = try run.record
        #expect(record.brokenIdentities.isEmpty)
        let rate = try #require(record.metrics.decode.tokensPerSecond.number)
        func once(_ value: Double) -> Figure { .once(value, method: "given") }
        record.metrics.decode.gross.watts = once(50)
        record.metrics.decode.gross.joulesPerToken = once(50 / rate)
        #expect(record.brokenIdentities.isEmpty)
        // Divided by the tokens of the cycle instead of its decode steps.
        record.metrics.decode.gross.joulesPerToken = once(50 / rate * 100 / 101)
        #expect(record.brokenIdentities == ["decode.gross"])
    }
}
