import Testing

@testable import Analysis

@Suite struct EnergyPhaseTests {
    private static func ledger(
        _ run: SimulatedRun, period: Double, phase: Double, declared: Double?, readMarks: Bool
    ) -> EnergyLedger {
        var counter = SimulatedCounter(course: run.course, period: period, phase: phase)
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
}
