import Testing

@testable import Analysis

@Suite struct IdentityTests {
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
