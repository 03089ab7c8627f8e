import Testing

@testable import Analysis

@Suite struct RateTests {
    /// 1.51 s a cycle: 0.5 s for 128 prompt tokens, 100 steps of 10 ms, a gap of 10 ms.
    @Test func aConstantMachine() throws {
        let metrics = try SyntheticRun().record.metrics
        #expect(metrics.wholeCycles == 397)
        #expect(metrics.truncated == 0)
        expect(metrics.prefill.tokensPerSecond, near: 256)
        expect(metrics.decode.tokensPerSecond, near: 100)
        expect(metrics.cycle.tokensPerSecond, near: 397 * 101 / (397 * 1.51))
        #expect(metrics.prefill.tokens == .known(397 * 128))
        #expect(metrics.decode.tokens == .known(397 * 100))
        #expect(metrics.cycle.tokens == .known(397 * 101))
        expect(metrics.burst, near: 100)
        expect(metrics.sustained, near: 100)
        expect(metrics.retained, near: 1)
        expect(metrics.timeToFirstToken.p50, near: 0.5)
        expect(metrics.timeToFirstToken.max, near: 0.5)
        expect(metrics.interTokenLatency.p99, near: 0.01)
        #expect(metrics.timeToFirstToken.count == 397)
        #expect(metrics.interTokenLatency.count == 39_700)
        expect(metrics.busyShare, near: 1.5 / 1.51, within: 1e-4)
        #expect(metrics.rolling.allSatisfy { abs($0.tokensPerSecond - 100) < 1e-6 })
        #expect(metrics.rolling.allSatisfy { abs(($0.depthAdjusted ?? 0) - 100) < 1e-6 })
        // At 10 s, 11 s, ... 600 s.
        #expect(metrics.rolling.count == 591)
        #expect(metrics.perMinute.map(\.minute) == Array(0..<10))
        for minute in metrics.perMinute { expect(minute.tokensPerSecond, near: 100) }
        #expect(metrics.droopOnsetSeconds.reason == "the rate does not stay under 95 % of burst")
        #expect(metrics.decode.gross.joules.reason == "no energy source")
    }

    @Test func phasesThatComeOnce() throws {
        let metrics = try SyntheticRun().record.metrics
        #expect(abs((metrics.idle.seconds.value ?? 0) - 25) < 1e-6)
        #expect(abs((metrics.loadCold.seconds.value ?? 0) - 2) < 1e-6)
        #expect(abs((metrics.loadWarm.seconds.value ?? 0) - 0.5) < 1e-6)
        #expect(metrics.loadCold.tokens == .unavailable("a load makes no tokens"))
        #expect(abs((metrics.firstToken.seconds.value ?? 0) - 0.5) < 1e-6)
        #expect(metrics.firstToken.tokens == .known(128))
        expect(metrics.firstToken.tokensPerSecond, near: 256)
        #expect(abs((metrics.loadedIdle.seconds.value ?? 0) - 15) < 1e-6)
        expect(metrics.fromIdle.prefill.tokensPerSecond, near: 256)
        expect(metrics.fromIdle.decode.tokensPerSecond, near: 100)
        expect(metrics.firstUse.seconds, near: 2 + 0.5 + 1.51, within: 1e-4)
        #expect(metrics.firstUse.joules.reason == "load_cold: no energy source")
        #expect(metrics.idle.net.watts.reason == "idle is the baseline")
        #expect(metrics.loadedIdle.netLoaded.watts.reason == "loaded_idle is the baseline")
    }

    /// Steps grow by 0.3 ms a position: 5 ms to 34.7 ms, 1.985 s for 100. A window of part cycles would see
    /// another rate than the next, were it not adjusted for depth.
    @Test func aGrowingContextIsNoDroop() throws {
        var run = SyntheticRun()
        run.step = { position, _ in 0.005 + 0.0003 * Double(position) }
        let metrics = try run.record.metrics
        let rate = 100 / 1.985
        expect(metrics.decode.tokensPerSecond, near: rate)
        expect(metrics.burst, near: rate)
        expect(metrics.sustained, near: rate)
        expect(metrics.retained, near: 1)
        #expect(metrics.rolling.allSatisfy { abs(($0.depthAdjusted ?? 0) / rate - 1) < 1e-6 })
        let spread = metrics.rolling.map { abs($0.tokensPerSecond / rate - 1) }.max() ?? 0
        #expect(spread > 0.005, "\(spread)")
    }

    /// From 300 s on the machine runs at 3/4 of its pace, whatever the depth.
    @Test func aThrottledMachineKeepsThreeQuarters() throws {
        var run = SyntheticRun()
        run.step = { position, time in (0.01 + 0.0001 * Double(position)) * (time < 300 ? 1 : 4.0 / 3) }
        let metrics = try run.record.metrics
        expect(metrics.retained, near: 0.75, within: 1e-3)
        let first = try #require(metrics.rolling.first?.depthAdjusted)
        let last = try #require(metrics.rolling.last?.depthAdjusted)
        #expect(abs(last / first - 0.75) < 1e-3)
        expect(metrics.perMinute[9].tokensPerSecond, near: 100 / 1.495 * 0.75, within: 0.02)
    }

    @Test func theRampIsNoBurst() throws {
        var run = SyntheticRun()
        run.step = { _, time in time < 8 ? 0.02 : 0.01 }
        let metrics = try run.record.metrics
        expect(metrics.burst, near: 100)
        expect(metrics.retained, near: 1)
        #expect((metrics.rolling.first?.tokensPerSecond ?? 100) < 70)
    }

    /// The third cycle of 4 s after 10 s of ramp ends at 24 s: three cycles are longer than 10 s.
    @Test func longCyclesWidenTheStretches() throws {
        var run = SyntheticRun()
        run.generated = 351
        let metrics = try run.record.metrics
        guard case .value(_, _, let method) = metrics.burst else {
            return #expect(metrics.burst.reason == nil)
        }
        #expect(method.contains("from 10.0 s to 24.1 s"), "\(method)")
        expect(metrics.burst, near: 100)
        // The first stretch of a rolling rate: three whole cycles of 4.01 s before the running one.
        #expect(metrics.rolling.first?.seconds == 13)
    }

    @Test func aShortRunSaysSo() throws {
        var run = SyntheticRun()
        run.seconds = 60
        let record = try run.record
        guard case .value(let rate, _, let method) = record.metrics.sustained else {
            return #expect(record.metrics.sustained.reason == nil)
        }
        #expect(abs(rate - 100) < 1e-6)
        #expect(method.hasPrefix("short run: "))
        #expect(record.metrics.retained.reason?.hasPrefix("short run") == true)
        #expect(
            record.warnings.contains { $0.hasPrefix("short run: sustained covers 44.0 s") },
            "\(record.warnings)")
    }

    @Test func aVeryShortRunHasNoSustainedRate() throws {
        var run = SyntheticRun()
        run.seconds = 30
        let metrics = try run.record.metrics
        expect(metrics.burst, near: 100)
        #expect(metrics.sustained.reason?.contains("20 s and 5 whole cycles") == true)
        run.seconds = 10
        let shorter = try run.record.metrics
        #expect(shorter.burst.reason?.contains("10 s and 3 whole cycles") == true)
        #expect(shorter.sustained.number == nil && shorter.retained.number == nil)
        expect(shorter.decode.tokensPerSecond, near: 100)
    }

    /// 7 whole cycles of 20.5 s: too few for an interval, for what was retained and for five after burst.
    @Test func fewerThanEightCycles() throws {
        var run = SyntheticRun()
        run.cycles = 7
        run.step = { _, _ in 0.2 }
        let metrics = try run.record.metrics
        #expect(metrics.wholeCycles == 7)
        expect(metrics.burst, near: 5)
        #expect(metrics.sustained.reason?.contains("20 s and 5 whole cycles") == true)
        #expect(metrics.retained.reason == "fewer than 8 cycles")
        guard case .value(_, let interval, _) = metrics.decode.tokensPerSecond else {
            return #expect(metrics.decode.tokensPerSecond.reason == nil)
        }
        #expect(interval == .unavailable(Unavailable("fewer than 8 cycles")))
        #expect(metrics.timeToFirstToken.p90.reason == "fewer than 10 observations")
        #expect(metrics.timeToFirstToken.p50.number != nil)
    }

    /// The cut cycle's 49 steps count for the rolling rate and not for decode.
    @Test func theCutCycleCountsForTheRollingRateOnly() throws {
        var run = SyntheticRun()
        run.seconds = 31.2
        run.step = { _, time in time > 30 ? 0.02 : 0.01 }
        let metrics = try run.record.metrics
        #expect(metrics.wholeCycles == 20)
        expect(metrics.decode.tokensPerSecond, near: 100)
        #expect(metrics.decode.tokens == .known(2_000))
        #expect((metrics.rolling.last?.tokensPerSecond ?? 100) < 100)
        #expect(metrics.truncated == 0)
    }

    @Test(arguments: [
        (40.0, 1.0, "moved by 1.0 K a minute"), (40, -2, "moved by -2.0 K a minute"),
        (60, 0, "above its least"),
    ])
    func aWarmStartVoidsWhatWasRetained(start: Double, slope: Double, why: String) throws {
        var run = SyntheticRun()
        run.temperature = { time in time < 20 ? start + slope * time / 60 : 45 }
        let retained = try run.record.metrics.retained
        #expect(retained.reason?.contains(why) == true, "\(retained)")
    }

    @Test func aCoolStartThatJittersIsCool() throws {
        var run = SyntheticRun()
        run.temperature = { time in time < 20 ? 40 + (Int(time).isMultiple(of: 2) ? 0.5 : -0.5) : 70 }
        let metrics = try run.record.metrics
        expect(metrics.retained, near: 1)
        expect(metrics.perMinute[0].temperature, near: 70)
        #expect(metrics.perMinute[0].clock.reason == "no clock was read")
    }

    @Test func intervalsTellTheSpreadOfCycles() throws {
        var run = SyntheticRun()
        var cycle = 0
        run.step = { position, _ in
            if position == 0 { cycle += 1 }
            return cycle.isMultiple(of: 2) ? 0.0102 : 0.0098
        }
        guard
            case .value(let rate, .bounds(let low, let high), _) = try run.record.metrics.decode
                .tokensPerSecond
        else { return #expect(Bool(false), "no interval") }
        #expect(low < rate && rate < high)
        // 2 % of scatter over 397 cycles: half a width of 1.966 x 2 % / sqrt(397).
        #expect(abs((high - low) / rate - 2 * 1.966 * 0.02 / 397.0.squareRoot()) < 2e-5)
    }

    @Test func withoutStampsWholeCyclesCount() throws {
        var run = SyntheticRun()
        run.sendsStamps = false
        let metrics = try run.record.metrics
        expect(metrics.burst, near: 100)
        expect(metrics.sustained, near: 100)
        expect(metrics.decode.tokensPerSecond, near: 100)
        #expect(metrics.interTokenLatency.count == 0)
        #expect(metrics.interTokenLatency.p50.reason == "no token stamps over a decode step")
        #expect(metrics.rolling.allSatisfy { $0.depthAdjusted == nil })
        guard case .value(_, _, let method) = metrics.burst else { return }
        #expect(
            method.contains("not depth-adjusted (fewer than 3 whole cycles with token stamps)"), "\(method)")
    }

    @Test func oneTokenGenerationsHaveNoDecode() throws {
        var run = SyntheticRun()
        run.generated = 1
        let metrics = try run.record.metrics
        expect(metrics.prefill.tokensPerSecond, near: 256)
        #expect(metrics.decode.tokensPerSecond.reason == "no decode steps")
        #expect(metrics.burst.reason == "no decode step in the sustained part")
    }

    @Test func tokensThatAreCountedByTheirTextAreEstimated() throws {
        var run = SyntheticRun()
        run.seconds = 30
        var trace = try Trace.parse(try run.bytes, name: "t")
        trace.engine?.countsTokens = false
        let record = Analyze.record(from: trace)
        #expect(record.engine.value?.tokenCounts == "estimated")
        guard case .value(_, _, let method) = record.metrics.decode.tokensPerSecond else { return }
        #expect(method.hasPrefix("estimated decode steps"))
    }
}
