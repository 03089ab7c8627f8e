import Replay
import Testing

@testable import Analysis

@Suite struct PhaseFitTests {
    /// Even power and lengths that vary by 1 %.
    private static var even: Scenario {
        var scenario = Scenario()
        scenario.seconds = 60
        return scenario
    }

    private func fit(_ scenario: Scenario, seed: UInt64 = 1) -> Result<PhaseFit, Unavailable>? {
        EnergyLedger(trace: SimulatedTrace(scenario, seed: seed).trace).sources[0].fit
    }

    private func record(_ scenario: Scenario, seed: UInt64 = 1) -> Record {
        Analyze.record(from: SimulatedTrace(scenario, seed: seed).trace)
    }

    private func method(_ figure: Figure) -> String {
        if case .value(_, _, let method) = figure { method } else { figure.reason ?? "" }
    }

    /// Reads keep step with the counter: what a stamp is off by, up to half of 10 ms, is taken for lag.
    @Test(arguments: [0.0, 0.03, 0.05, 0.12])
    func powersAndLagComeOut(lag: Double) throws {
        var scenario = Self.even
        scenario.lag = lag
        let fit = try #require(try fit(scenario)?.get())
        #expect(abs(fit.lag - lag) < 0.006)
        #expect(fit.timeline.names.sorted() == ["decode", "gap", "prefill"])
        for (name, watts) in [("prefill", 140.0), ("decode", 90)] {
            let column = try #require(fit.timeline.names.firstIndex(of: name))
            #expect(abs(fit.powers[column] / watts - 1) < 0.015)
        }
        #expect(fit.condition < PhaseFit.worstCondition)
        #expect(fit.checkError < 0.02)
        // What each cycle moves the powers by adds up to nothing, but for what the gap's prior pulls.
        for column in fit.powers.indices where fit.timeline.names[column] != "gap" {
            let sum = (0..<fit.timeline.cycles).reduce(0) {
                $0 + fit.influence[$1 * fit.powers.count + column]
            }
            #expect(abs(sum) < 1)
        }
    }

    @Test func noiseIsSeenInTheOddEvenCheck() throws {
        var noisy = Self.even
        noisy.cycleNoise = 0.05
        let quiet = try #require(try fit(Self.even)?.get())
        let loud = try #require(try fit(noisy)?.get())
        #expect(loud.checkError > 2 * quiet.checkError)
        #expect(loud.checkError > 0.02 && loud.checkError < 0.12)
    }

    @Test func theEstimatorIsNamedAndTheRecordTellsOfTheFit() throws {
        let made = record(Self.even)
        let metrics = made.metrics
        for figure in [
            metrics.prefill.gross.joulesPerToken, metrics.decode.gross.joules, metrics.decode.net.watts,
        ] {
            #expect(method(figure).hasPrefix("phase fit, lag 0.0"))
            #expect(method(figure).contains("; bootstrap of blocks of"))
        }
        // Whole cycles follow one another: their sum has two edges.
        #expect(method(metrics.cycle.gross.joules).hasPrefix("counter at edges, lag 0.0"))
        let source = try #require(made.sources.first)
        let summary = try #require(source.phaseFit?.value)
        #expect(summary.cycles == metrics.wholeCycles)
        #expect(summary.steps > 500 && summary.blockCycles != nil)
        #expect(abs((summary.watts["decode"] ?? 0) - 90) < 1)
        #expect(source.sensorAccuracy?.reason == "unknown")
        #expect(metrics.decode.gross.sensorAccuracy == "unknown")
        #expect(metrics.loadCold.gross.sensorAccuracy == nil)
    }

    /// Windows of 20 update periods are read at their edges; the lag that the cycles show moves these too.
    @Test func longWindowsKeepTheirEdges() {
        var scenario = Self.even
        scenario.decode = 4
        let made = SimulatedTrace(scenario, seed: 3)
        let metrics = Analyze.record(from: made.trace).metrics
        #expect(method(metrics.decode.gross.joules).hasPrefix("counter at edges, lag 0.0"))
        #expect(method(metrics.prefill.gross.joules).hasPrefix("phase fit"))
        expect(metrics.decode.gross.joulesPerToken, near: made.decodePerToken, within: 0.01)
        expect(metrics.prefill.gross.joulesPerToken, near: made.prefillPerToken, within: 0.02)
    }

    @Test func stepsThatHoldTheSameAreRefused() {
        let metrics = record(.locked).metrics
        for phase in [metrics.prefill, metrics.decode] {
            for figure in [phase.gross.joules, phase.net.joulesPerToken] {
                let why = figure.reason ?? ""
                #expect(
                    why.contains("phases not separable: the times in each phase within a step of the counter")
                )
                #expect(why.contains("longer phases (-p, -n)"))
            }
        }
        #expect(metrics.cycle.gross.joules.number != nil)
        #expect(record(.locked).sources[0].phaseFit?.reason?.hasPrefix("phases not separable") == true)
    }

    /// Two, three or one and a half steps a cycle: powers and lag could be traded against one another.
    @Test(arguments: [1.75, 2.75, 1.25])
    func cyclesInStepWithTheCounterAreRefused(decode: Double) {
        var scenario = Scenario.locked
        scenario.decode = decode
        let why = fit(scenario, seed: 5)?.reason ?? ""
        #expect(why.contains("are much the same in every cycle"), "\(why)")
    }

    @Test func aVariedGapTellsThemApart() {
        for seed: UInt64 in 1...3 {
            let made = SimulatedTrace(.dithered, seed: seed)
            let metrics = Analyze.record(from: made.trace).metrics
            expect(metrics.decode.gross.joulesPerToken, near: made.decodePerToken, within: 0.02)
            expect(metrics.prefill.gross.joulesPerToken, near: made.prefillPerToken, within: 0.02)
        }
    }

    /// Reads in step with the counter leave each moment open by 50 ms, but not how long its steps are.
    @Test func readsInStepTellPhasesShorterThanTheTimeBetweenThem() throws {
        for seed: UInt64 in 1...3 {
            let made = SimulatedTrace(.short, seed: seed)
            let metrics = Analyze.record(from: made.trace).metrics
            expect(metrics.decode.gross.joulesPerToken, near: made.decodePerToken, within: 0.01)
            expect(metrics.prefill.gross.joulesPerToken, near: made.prefillPerToken, within: 0.05)
            guard case .value(_, .bounds(let low, let high), _) = metrics.prefill.gross.joulesPerToken else {
                Issue.record("prefill has no interval: \(metrics.prefill.gross.joulesPerToken)")
                return
            }
            #expect(high - low < 0.15 * made.prefillPerToken)
        }
    }

    /// Reads nearly in step: the brackets wander about the updates like a vernier, every 50 ms in 17 s.
    @Test(arguments: [0.1003, 0.0997, 0.1185]) func aVernierIsNoWander(period: Double) {
        var scenario = Scenario.short
        scenario.period = period
        for seed: UInt64 in 1...3 {
            let made = SimulatedTrace(scenario, seed: seed)
            let metrics = Analyze.record(from: made.trace).metrics
            expect(metrics.decode.gross.joulesPerToken, near: made.decodePerToken, within: 0.01)
            expect(metrics.prefill.gross.joulesPerToken, near: made.prefillPerToken, within: 0.04)
        }
    }

    /// A value that is shown before the middle of the reads around it has a lag below 0, not powers that make up for it.
    @Test func updatesBeforeTheMiddleOfTheirReads() throws {
        var scenario = Scenario.short
        scenario.lag = 0
        for seed: UInt64 in 1...3 {
            let made = SimulatedTrace(scenario, seed: seed)
            let fit = try #require(try EnergyLedger(trace: made.trace).sources[0].fit?.get())
            #expect(abs(fit.lag) < 0.027, "\(fit.lag)")
            let metrics = Analyze.record(from: made.trace).metrics
            expect(metrics.prefill.gross.joulesPerToken, near: made.prefillPerToken, within: 0.05)
        }
    }

    /// What lies beyond the lags that are looked for is no lag that could be given.
    @Test(arguments: [0.4, 0.7]) func aLagBeyondTheSearchIsRefused(lag: Double) {
        var scenario = Self.even
        scenario.lag = lag
        let why = fit(scenario)?.reason ?? "fitted"
        #expect(why.contains("the counter shows energy later than 0.3 s"), "\(why)")
    }

    /// Streams in any mixture are phases in any number: what is kept of them may not grow without end.
    @Test func tooManyStreamsAreRefused() {
        var trace = SimulatedTrace(.short, seed: 1).trace
        let marks = trace.marks.filter { $0.part == .sustained && $0.cycle != nil }
        for stream in 1..<20 {
            trace.marks += marks.map { mark in
                let later = mark.time + Nanoseconds(Int64(stream) * 1_700_000)
                return MarkLine(
                    mark.name, part: .sustained, time: later, cycle: (mark.cycle ?? 0) + 10_000 * stream,
                    stream: stream)
            }
        }
        let why = EnergyLedger(trace: trace).sources[0].fit?.reason ?? "fitted"
        #expect(why.contains("kinds of them, over 12"), "\(why)")
    }

    /// Stamps that are too coarse, and few cycles that say nothing of their spread.
    @Test func badGroundsAreRefused() {
        var odd = Scenario.short
        odd.jitter = 0.3
        #expect(
            fit(odd)?.reason?.contains("do not vary enough against it") == true,
            "\(String(describing: fit(odd)))")
        var short = Self.even
        short.seconds = 10
        #expect(fit(short)?.reason == "phases not separable: fewer than 8 cycles to fit")
        var fast = Self.even
        fast.period = 0.001
        #expect(fit(fast) == nil)
    }

    @Test func theSameTraceGivesTheSameAndAnotherIdOtherDraws() {
        let made = SimulatedTrace(Self.even, seed: 9)
        var renamed = made.trace
        renamed.header.id += "x"
        let one = Analyze.record(from: made.trace).metrics
        #expect(one == Analyze.record(from: made.trace).metrics)
        let other = Analyze.record(from: renamed).metrics
        #expect(one.decode.gross.joules.number == other.decode.gross.joules.number)
        #expect(one.decode.gross.joules != other.decode.gross.joules)
    }

    /// A fitted source and one read at its edges: energies and draws add up, methods stand side by side.
    @Test func sourcesOfBothKindsAddUp() throws {
        let trace = SimulatedTrace(Self.even, seed: 4).trace
        let source = EnergyLedger(trace: trace).sources[0]
        let decode = trace.marks.filter { $0.name == .firstToken || $0.name == .lastToken }
        let spans = stride(from: 0, to: decode.count, by: 2).map {
            Span(begin: decode[$0].time, end: decode[$0 + 1].time)
        }
        let fitted = try source.energy(over: spans).get()
        let other = EnergyEstimate(
            joules: 100, low: 97, high: 104, method: "counter at edges",
            windows: spans.map { _ in 100 / Double(spans.count) })
        let sum = EnergyEstimate.sum([other, fitted])
        #expect(abs(sum.joules - fitted.joules - 100) < 1e-9)
        #expect(sum.method == "counter at edges + phase fit, lag \(short(source.fit?.value?.lag ?? 0)) s")
        let drawn = try #require(sum.resampled)
        let alone = try #require(fitted.resampled)
        #expect(drawn.joules.count == alone.joules.count)
        #expect(abs(drawn.same[0] - alone.same[0] - 100) < 1e-9)
        #expect(drawn.joules != alone.joules)
    }
}
