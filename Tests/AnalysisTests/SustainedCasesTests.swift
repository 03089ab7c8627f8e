import SyntheticTraces
import Testing

@testable import Analysis

/// Faults that users of such tools met, by what must come out.
@Suite struct SustainedCasesTests {
    /// C19: the wall clock jumps by an hour: it is an anchor in the header and enters no figure.
    @Test func theWallClockEntersNoFigure() throws {
        var run = SyntheticRun()
        run.seconds = 120
        run.watts = 30
        var trace = try Trace.parse(try run.bytes, name: "t")
        let before = Analyze.record(from: trace)
        trace.header.wallClock = "2026-11-30T01:56:00Z"
        var after = Analyze.record(from: trace)
        #expect(after.started != before.started)
        after.started = before.started
        #expect(after == before)
        #expect(before.metrics.decode.gross.joules.number != nil)
        // No other line holds a date for a jump to change.
        let dated = try run.lines.dropFirst().filter {
            String(decoding: try $0.encodedLine(), as: UTF8.self).contains("2026")
        }
        #expect(dated.isEmpty)
    }

    /// C21: a load of a minute is in no J/token: it has a window and joules of its own, and counts stay.
    @Test func theLoadIsInNoJoulesPerToken() throws {
        var run = SyntheticRun()
        run.seconds = 120
        run.watts = 30
        let quick = try run.record
        run.loadCold = 60
        let slow = try run.record
        for (one, other) in [
            (quick.metrics.decode, slow.metrics.decode), (quick.metrics.prefill, slow.metrics.prefill),
            (quick.metrics.cycle, slow.metrics.cycle),
        ] {
            #expect(one.tokens == other.tokens && one.tokens.value != nil)
            expect(other.gross.joulesPerToken, near: one.gross.joulesPerToken.number ?? 0, within: 1e-3)
        }
        expect(slow.metrics.loadCold.gross.joules, near: 30 * 60, within: 0.01)
        expect(quick.metrics.loadCold.gross.joules, near: 30 * 2, within: 0.1)
        #expect(slow.windows.count { $0.name == "load_cold" } == 1)
        // 30 W at 100 steps a second.
        expect(slow.metrics.decode.gross.joulesPerToken, near: 0.3, within: 0.01)
    }

    /// C22: 90 steps a second for 20 minutes, then down to 3 along a line of 80 minutes, while the thermometer and
    /// the throttle counts see nothing.
    @Test(arguments: [false, true])
    func aDeclineOverHoursWithANominalThermalState(clockFalls: Bool) throws {
        var run = ReplayedRun()
        run.seconds = 7_200
        run.cycle = 10
        run.prefillShare = 0.8
        run.decodeSteps = 180
        run.noise = 0.02
        run.shape = { 1 - 87.0 / 90 * min(1, max(0, ($0 - 1_200) / 4_800)) }
        var trace = run.trace
        trace.read("hwmon:cpu/temp1", .gauge, .temperature, scale: 1e-3) { _ in 45_000 }
        trace.read("throttle:package-0", .counter, .count) { _ in 3 }
        trace.read("cpufreq:policy0", .gauge, .frequency, scale: 1e3) { time in
            clockFalls && time > 1_200 ? 800_000 : 3_200_000
        }
        let metrics = Analyze.record(from: trace).metrics
        expect(metrics.burst, near: 90, within: 0.06)
        expect(metrics.sustained, near: 3, within: 0.06)
        expect(metrics.retained, near: 3.0 / 90, within: 0.1)
        let onset = try #require(metrics.droopOnsetSeconds.number)
        // 5 % of 90 are lost after 1,200 s + 4,800 s x 4.5 / 87.
        #expect(abs(onset - 1_448) < 60, "\(onset)")
        let half = try #require(metrics.secondsTo50Percent?.number)
        #expect(abs(half - (1_200 + 4_800 * 45.0 / 87)) < 150, "\(half)")
        #expect(metrics.decodeCanary?.warmFromSeconds.number != nil)
        #expect(metrics.droopCause?.value?.kind == (clockFalls ? .throttling : .unknown))
        expect(metrics.perMinute[100].clock, near: clockFalls ? 8e8 : 3.2e9)
        expect(metrics.perMinute[10].clock, near: 3.2e9)
        expect(metrics.perMinute[100].temperature, near: 45)
    }

    /// C23: the first repetitions run at half speed: they are from_idle and warm-up, and in no mean.
    @Test func aSlowFirstRepetitionIsWarmUp() throws {
        var run = SyntheticRun()
        var steps = 0
        // 100 steps of the generation from idle, 100 of the first of two warm-up cycles.
        run.step = { _, _ in
            steps += 1
            return steps <= 200 ? 0.02 : 0.01
        }
        let record = try run.record
        let metrics = record.metrics
        expect(metrics.fromIdle.decode.tokensPerSecond, near: 50)
        expect(metrics.decode.tokensPerSecond, near: 100)
        expect(metrics.burst, near: 100)
        expect(metrics.retained, near: 1)
        expect(metrics.interTokenLatency.max, near: 0.01)
        let warmup = record.windows.filter { $0.name == "decode" && $0.part == .warmup }
        #expect(warmup.map { (($0.end - $0.begin) * 10).rounded() } == [20, 10])
        #expect(
            record.warnings == [
                "the first generation after idle decoded at 50.0 % of the settled rate: it is warm-up, kept as "
                    + "from_idle, and in no mean"
            ])
        #expect(try SyntheticRun().record.warnings.isEmpty)
    }
}

@Suite struct DecodeCanaryTests {
    /// Steps at the first quarter of the positions slow down by 10 % after 200 s, deeper ones do not.
    @Test func shallowStepsAreWatchedByThemselves() throws {
        var run = SyntheticRun()
        run.seconds = 300
        run.step = { position, time in position < 25 && time >= 150 ? 0.0125 : 0.01 }
        let metrics = try run.record.metrics
        let canary = try #require(metrics.decodeCanary)
        expect(canary.floor, near: 100)
        expect(canary.kept, near: 0.8)
        let warm = try #require(canary.warmFromSeconds.number)
        #expect(abs(warm - 150) < 3, "\(warm)")
    }

    /// A context that grows slows no shallow step.
    @Test func depthIsNoWarmth() throws {
        var run = SyntheticRun()
        run.seconds = 120
        run.step = { position, _ in 0.005 + 0.0003 * Double(position) }
        let canary = try #require(try run.record.metrics.decodeCanary)
        expect(canary.kept, near: 1)
        #expect(canary.warmFromSeconds.reason == "the rate does not stay under 95 % of burst")
        run.sendsStamps = false
        let blind = try #require(try run.record.metrics.decodeCanary)
        #expect(blind.floor.reason == "some cycles have no token stamps")
    }
}
