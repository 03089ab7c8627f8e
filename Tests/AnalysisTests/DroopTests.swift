import SyntheticTraces
import Testing

@testable import Analysis

/// When the rate left what it was at first, on machines whose true rate is known.
@Suite struct DroopTests {
    /// 600 s of cycles of 3 s without scatter.
    private static func metrics(
        seconds: Double = 600, cycle: Double = 3, _ shape: @escaping @Sendable (Double) -> Double
    ) -> Metrics {
        var run = ReplayedRun()
        run.seconds = seconds
        run.cycle = cycle
        run.noise = 0
        run.shape = shape
        return Analyze.record(from: run.trace).metrics
    }

    private static func expectMoment(
        _ figure: Figure?, near expected: Double, within seconds: Double,
        _ location: SourceLocation = #_sourceLocation
    ) {
        guard case .value(let time, .bounds(let low, let high), _)? = figure else {
            Issue.record("\(String(describing: figure))", sourceLocation: location)
            return
        }
        #expect(abs(time - expected) <= seconds, "\(time)", sourceLocation: location)
        #expect(low <= expected && expected <= high, "\(low) ... \(high)", sourceLocation: location)
    }

    @Test func aStepIsFoundWhereItIs() {
        let metrics = Self.metrics { $0 < 300 ? 1 : 0.8 }
        Self.expectMoment(metrics.droopOnsetSeconds, near: 300, within: 3)
        Self.expectMoment(metrics.secondsTo90Percent, near: 300, within: 3)
        #expect(metrics.secondsTo50Percent?.reason == "the rate does not stay under 50 % of burst")
        expect(metrics.retained, near: 0.8, within: 0.01)
    }

    /// 0.1 % a second from 150 s on: 5 % after 50 s, 10 % after 100 s.
    @Test func aSlideIsFoundWhereItCrosses() {
        let metrics = Self.metrics { 1 - 0.3 * min(1, max(0, ($0 - 150) / 300)) }
        Self.expectMoment(metrics.droopOnsetSeconds, near: 200, within: 5)
        Self.expectMoment(metrics.secondsTo90Percent, near: 250, within: 5)
    }

    /// No broken stick: 1 to 0.4 along an exponential of 100 s, from 60 s on.
    @Test func aDecayIsFoundWhereItCrosses() {
        let metrics = Self.metrics { time in
            // 0.6 x 2^-n is near enough to an exponential, and the same with every libm.
            var rest = max(0, time - 60) / 70
            var share = 1.0
            while rest >= 1 { (share, rest) = (share / 2, rest - 1) }
            return 0.4 + 0.6 * share * (1 - rest / 2)
        }
        // Half of 0.6 is lost over the first 70 s: 0.05 after 11.7 s, 0.1 after 23.3 s, 0.5 after 140 s.
        Self.expectMoment(metrics.droopOnsetSeconds, near: 71.7, within: 8)
        Self.expectMoment(metrics.secondsTo90Percent, near: 83.3, within: 8)
        let half = metrics.secondsTo50Percent?.number ?? 0
        #expect(abs(half - 223) < 40, "\(half)")
    }

    /// More cycles than blocks: the second look has finer ones.
    @Test func aSlowDeclineIsFoundToo() {
        let metrics = Self.metrics(seconds: 3_600, cycle: 4) { 1 - 0.5 * max(0, $0 - 1_000) / 2_600 }
        Self.expectMoment(metrics.droopOnsetSeconds, near: 1_260, within: 20)
    }

    @Test func aDipThatHealsIsNoDroop() {
        let metrics = Self.metrics { (150..<250).contains($0) ? 0.6 : 1 }
        #expect(metrics.droopOnsetSeconds.number == nil)
        let later = Self.metrics { (100..<160).contains($0) ? 0.6 : $0 < 450 ? 1 : 0.7 }
        Self.expectMoment(later.droopOnsetSeconds, near: 450, within: 5)
    }

    @Test func aMachineThatQuickensDoesNotDroop() {
        let metrics = Self.metrics { $0 < 200 ? 0.8 : 1 }
        #expect(metrics.droopOnsetSeconds.reason == "the rate does not stay under 95 % of burst")
        #expect(metrics.droopCause?.reason == metrics.droopOnsetSeconds.reason)
    }

    @Test func theLastSecondsAreNoChange() {
        let metrics = Self.metrics(cycle: 1) { $0 < 596 ? 1 : 0.5 }
        #expect(metrics.droopOnsetSeconds.reason == "the rate fell in the last 10.0 s only")
    }

    @Test func fourPercentLessIsNoDroop() {
        let metrics = Self.metrics { $0 < 300 ? 1 : 0.96 }
        #expect(metrics.droopOnsetSeconds.number == nil)
    }

    @Test func fewCyclesTellNothing() {
        let metrics = Self.metrics(cycle: 70) { $0 < 300 ? 1 : 0.5 }
        #expect(metrics.droopOnsetSeconds.reason == "fewer than 8 cycles after the ramp")
        let short = Self.metrics(seconds: 8) { _ in 1 }
        #expect(short.droopOnsetSeconds.reason?.contains("no burst to compare with") == true)
    }

    /// The long form is scripts/benches/throttle.
    @Test func replaysWithScatter() {
        let steady = ThrottleReplays(.steady, runs: 16, cycle: 3)
        #expect(steady.onsets == 0)
        #expect((0.97...1.03).contains(steady.meanRetained), "\(steady.meanRetained)")
        let step = ThrottleReplays(.step, runs: 12, cycle: 3)
        #expect(step.hits >= 11, "\(step.errors)")
        let slide = ThrottleReplays(.slide, runs: 12, cycle: 3)
        #expect(slide.hits >= 11, "\(slide.errors)")
    }
}

@Suite struct BrokenStickTests {
    private static func blocks(_ rate: (Double) -> Double) -> [RateSeries.Block] {
        (0..<60).map { index in
            let begin = Double(index) * 2
            return RateSeries.Block(begin: begin, end: begin + 2, steps: rate(begin + 1), seconds: 1)
        }
    }

    @Test func aStickIsFittedExactly() throws {
        let stick = try #require(
            BrokenStickFit(Self.blocks { 10 - 4 * min(1, max(0, ($0 - 40) / 40)) }).best(plateau: 3))
        #expect(stick.residual < 1e-9)
        #expect(abs(stick.before - 10) < 1e-6 && abs(stick.after - 6) < 1e-6)
        #expect(stick.bend == 40 && stick.settled == 80)
        #expect(abs((stick.crossing(of: 9) ?? 0) - 50) < 1e-6)
        #expect(stick.crossing(of: 5) == nil)
        #expect(stick.crossing(of: 11) == 40)
        #expect(abs(stick.rate(at: 60) - 8) < 1e-6)
    }

    @Test func aStepHasNoSlope() throws {
        let stick = try #require(BrokenStickFit(Self.blocks { $0 < 30 ? 5 : 4 }).best(plateau: 1))
        #expect(stick.bend == 30 && stick.settled == 30)
        #expect(stick.crossing(of: 4.5) == 30)
    }

    @Test func tooFewBlocksHaveNoStick() {
        #expect(BrokenStickFit([]).best(plateau: 0) == nil)
        #expect(BrokenStickFit(Array(Self.blocks { _ in 1 }.prefix(3))).best(plateau: 3) == nil)
    }
}
