import Testing

@testable import Analysis

@Suite struct EnergyPhaseTests {
    private static func ledger(
        _ run: SimulatedRun, period: Double, phase: Double, declared: Double?, readMarks: Bool,
        jitter: Double = 0
    ) -> EnergyLedger {
        var counter = SimulatedCounter(course: run.course, period: period, phase: phase, jitter: jitter)
        counter.range = 262_143_328_850
        var line = counter.line(0)
        line.updatePeriodNanoseconds = declared.map { Int64($0 * 1e9) }
        let sampler = SimulatedSampler()
        let times = sampler.times(until: run.end, marks: readMarks ? run.markTimes : [])
        return EnergyLedger(sources: [line], samples: sampler.samples([counter], at: times), marks: run.marks)
    }

    private func check(
        _ ledger: EnergyLedger, _ phase: PhaseSpans, truth course: PowerCourse, within share: Double,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let truth = course.energy(over: phase)
        let result = ledger.energy(over: phase)
        guard let energy = result.value else {
            Issue.record("unavailable: \(result.reason ?? "")", sourceLocation: location)
            return
        }
        #expect(abs(energy.joules / truth - 1) <= share, sourceLocation: location)
        #expect(energy.low <= truth && truth <= energy.high, sourceLocation: location)
    }

    @Test(arguments: [0.001, 0.010, 0.100], [0.0, 0.003, 0.5, 0.97])
    func squareWave(period: Double, phase: Double) {
        var random = EnergyRandom(seed: UInt64(period * 1e6 + phase * 100))
        let run = SimulatedRun(
            count: 60, prefill: 2.4, decode: 4.2, watts: (20, 30, 140, 90), random: &random)
        let ledger = Self.ledger(run, period: period, phase: phase * period, declared: nil, readMarks: true)
        check(ledger, run.prefill, truth: run.course, within: 0.01)
        check(ledger, run.decode, truth: run.course, within: 0.01)
        check(ledger, run.cycles, truth: run.course, within: 0.01)
    }

    @Test(arguments: [0.001, 0.010])
    func shortPrefills(period: Double) {
        var random = EnergyRandom(seed: 7)
        let run = SimulatedRun(
            count: 300, prefill: 0.21, decode: 1.1, watts: (20, 30, 140, 90), random: &random)
        let ledger = Self.ledger(run, period: period, phase: 0.3 * period, declared: nil, readMarks: true)
        check(ledger, run.prefill, truth: run.course, within: 0.01)
        check(ledger, run.decode, truth: run.course, within: 0.01)
    }

    /// Power that is never even, updates that come late: the bounds hold the truth all the same.
    @Test(arguments: [0.001, 0.01, 0.1], [1, 2, 3] as [UInt64])
    func unevenPowerAndLateUpdates(period: Double, seed: UInt64) {
        var random = EnergyRandom(seed: seed)
        let run = SimulatedRun(
            count: 40, prefill: 0.3, decode: 2.5, watts: (20, 30, 140, 90), random: &random)
        var course = PowerCourse(20)
        let ends = run.course.begins.dropFirst() + [run.end + 1]
        for (begin, (end, watts)) in zip(run.course.begins, zip(ends, run.course.watts)) {
            let level = watts * random.uniform(0.95...1.05)
            var time = begin
            while time < end {
                course.change(at: time, to: level * random.uniform(0.8...1.2))
                time += 0.013
            }
        }
        let counter = SimulatedCounter(course: course, period: period, phase: 0.4 * period, jitter: 0.4)
        let sampler = SimulatedSampler()
        let samples = sampler.samples([counter], at: sampler.times(until: run.end, marks: run.markTimes))
        let source = EnergyLedger(sources: [counter.line(0)], samples: samples, marks: run.marks).sources[0]
        for phase in [run.prefill, run.decode, run.cycles] + run.decode.spans.map({ PhaseSpans(spans: [$0]) })
        {
            let truth = course.energy(over: phase)
            guard let energy = source.energy(over: phase.spans, judged: false).value else {
                Issue.record("no energy")
                continue
            }
            #expect(energy.low <= truth && truth <= energy.high)
        }
    }

    /// A counter of 1 s that comes at odd times cannot tell prefills of 0.2 s: a reason and no number. What it can tell it
    /// tells, and one that comes by a clock tells more.
    @Test func phasesThatCannotBeToldApartAreRefused() throws {
        var random = EnergyRandom(seed: 3)
        let run = SimulatedRun(
            count: 100, prefill: 0.21, decode: 1.1, watts: (20, 30, 140, 90), random: &random)
        let regular = Self.ledger(run, period: 1, phase: 0.3, declared: nil, readMarks: false)
        let told = try #require(regular.energy(over: run.prefill).value)
        #expect(abs(told.joules / run.course.energy(over: run.prefill) - 1) < 0.03, "\(told)")
        let ledger = Self.ledger(run, period: 1, phase: 0.3, declared: nil, readMarks: false, jitter: 0.4)
        let why = ledger.energy(over: run.prefill).reason
        #expect(
            why?.contains("phases not separable: the times in each phase within a step of the counter")
                == true)
        let once = ledger.energy(over: PhaseSpans(spans: [run.prefill.spans[50]])).reason
        #expect(once?.contains("phases not separable: the value is renewed every ") == true)
        #expect(once?.contains("the windows last 0.2") == true)
        check(ledger, run.cycles, truth: run.course, within: 0.005)
        check(ledger, PhaseSpans(spans: [span(run.prefill.spans)]), truth: run.course, within: 0.01)
    }

    /// Ticks alone, the period named by the source: the marks fall between two reads 0.1 s apart.
    @Test func withoutReadsAtMarks() {
        var random = EnergyRandom(seed: 4)
        let run = SimulatedRun(
            count: 60, prefill: 2.4, decode: 4.2, watts: (20, 30, 140, 90), random: &random)
        let ledger = Self.ledger(run, period: 0.001, phase: 0, declared: 0.001, readMarks: false)
        check(ledger, run.prefill, truth: run.course, within: 0.01)
        check(ledger, run.decode, truth: run.course, within: 0.01)
    }

    /// From the first window's begin to the last one's end.
    private func span(_ spans: [Span]) -> Span {
        Span(begin: spans.first?.begin ?? moment(0), end: spans.last?.end ?? moment(0))
    }

    @Test func partsSumToTheWhole() throws {
        var random = EnergyRandom(seed: 6)
        let run = SimulatedRun(
            count: 30, prefill: 2.4, decode: 4.2, gap: 0, watts: (20, 30, 140, 90), random: &random)
        for period in [0.001, 0.1] {
            let ledger = Self.ledger(run, period: period, phase: 0.3 * period, declared: nil, readMarks: true)
            let account = EnergyAccount(
                ledger: ledger, idleBefore: run.idleBefore, idleAfter: run.idleAfter,
                loadedIdle: PhaseSpans(spans: [run.loadedIdle]))
            let closure = try account.closure(
                parts: [run.prefill, run.decode], whole: span(run.cycles.spans)
            ).get()
            #expect(closure.holds)
            #expect(abs(closure.difference) < 1e-9)
        }
    }
}
