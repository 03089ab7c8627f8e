import Replay
import Testing

@testable import Analysis

/// Short forms of scripts/bench coverage, and cases that users met, on whole traces.
@Suite struct ReplayTests {
    private func tally(_ replays: Replays, _ name: String) throws -> Replays.Tally {
        try #require(replays.tallies[name])
    }

    @Test func figuresComeOutRight() throws {
        let replays = Replays(.accuracy, seeds: 1000..<1004)
        for (name, limit) in [
            ("decode", 0.02), ("prefill", 0.02), ("decode_net", 0.03), ("prefill_net", 0.03),
        ] {
            let found = try tally(replays, name)
            #expect(found.ratios.count == 4)
            #expect(found.worst <= limit, "\(name): \(found.worst)")
        }
    }

    /// Of 40 intervals that hold the truth with 95 % at least 34 do in 99.7 of 100 such tests; the seeds are
    /// fixed.
    @Test func intervalsHoldTheTruth() throws {
        var scenario = Scenario.coverage
        (scenario.decode, scenario.seconds, scenario.idleSeconds) = (1, 75, 8)
        let found = try tally(Replays(scenario, seeds: 2000..<2040), "decode_net")
        #expect(found.withInterval >= 38)
        #expect(found.held >= 34, "\(found.held)")
        #expect(found.meanWidth <= 1.5 * found.empiricalRange)
    }

    /// C12: the machine sleeps for 60 s in the middle of the run: windows that it touches have no energy, others
    /// have, and rates count only the time awake.
    @Test func aSuspendVoidsWhatItTouches() throws {
        var scenario = Scenario()
        scenario.seconds = 30
        var trace = SimulatedTrace(scenario, seed: 1).trace
        let decodes = trace.marks.filter { $0.name == .firstToken }
        let asleep = decodes[decodes.count / 2].time + Nanoseconds(500_000_000)
        var clock = SourceLine(
            index: 1, id: Suspends.sourceID, kind: .counter, quantity: .time, scale: 1e-9,
            scope: SourceLine.Scope(domain: "system", device: "clock"), interface: "clock_gettime",
            intervalNanoseconds: 10_000_000)
        clock.range = nil
        trace.sources.append(clock)
        for index in trace.samples.indices {
            trace.samples[index].sources.append(1)
            trace.samples[index].deltas.append(0)
            trace.samples[index].values.append(trace.samples[index].time < asleep ? 0 : 60_000_000_000)
        }
        let awake = Analyze.record(from: trace)
        trace.end?.sleptNanoseconds = 60_000_000_000
        let record = Analyze.record(from: trace)
        #expect(record.metrics.decode.tokensPerSecond == awake.metrics.decode.tokensPerSecond)
        #expect(record.metrics.decode.tokensPerSecond.number != nil)
        #expect(record.metrics.decode.gross.joules.reason?.hasSuffix("void: the machine slept") == true)
        #expect(record.metrics.idle.gross.joules.number != nil)
        #expect(record.metrics.loadedIdle.gross.joules.number != nil)
        #expect(record.warnings.contains { $0.contains("the machine slept for 60") })
    }

    /// C20: another program used a core during idle: the baseline says so, and every net figure.
    @Test func aBusyIdleIsSaidInEveryNetFigure() {
        var scenario = Scenario()
        scenario.seconds = 30
        var trace = SimulatedTrace(scenario, seed: 1).trace
        let seen = "other processes used 1.02 cores"
        trace.conditions = [
            ConditionsLine(moment: .before, checks: [Condition("other_load", .fail, seen: seen)])
        ]
        let record = Analyze.record(from: trace)
        for figure in [
            record.metrics.decode.net.joules, record.metrics.prefill.net.joulesPerToken,
            record.metrics.cycle.net.watts,
        ] {
            guard case .value(_, _, let method) = figure else {
                Issue.record("no figure")
                continue
            }
            #expect(method.contains("unreliable: \(seen)"))
        }
        #expect(record.warnings.contains("net figures are unreliable: \(seen)"))
        #expect(record.environment.filter.excluded)
    }

    @Test func theVendorsAccuracyStandsBesideTheJoules() {
        var scenario = Scenario()
        scenario.seconds = 30
        var trace = SimulatedTrace(scenario, seed: 1).trace
        trace.sources[0].accuracy = SensorAccuracy(figure: "2 %", source: "power1_accuracy")
        let record = Analyze.record(from: trace)
        #expect(record.metrics.decode.gross.sensorAccuracy == "nvml:0: 2 % (power1_accuracy)")
        #expect(record.metrics.decode.net.sensorAccuracy == "nvml:0: 2 % (power1_accuracy)")
        #expect(record.sources.first?.sensorAccuracy?.value?.figure == "2 %")
        trace.sources[0].accuracy = nil
        let unknown = Analyze.record(from: trace)
        #expect(unknown.metrics.decode.gross.sensorAccuracy == "unknown")
        // It is in no interval.
        #expect(record.metrics.decode.gross.joules == unknown.metrics.decode.gross.joules)
    }
}
