import Testing

@testable import Analysis

@Suite struct EnergyGaugeTests {
    private func line(averaging: Double?, limit: Double? = nil) -> SourceLine {
        var line = SourceLine(
            index: 0, id: "nvml:0/power", kind: .gauge, quantity: .power, scale: 1e-3,
            scope: SourceLine.Scope(domain: "gpu-board", device: "GPU-a"), interface: "nvml:power_average",
            intervalNanoseconds: 100_000_000)
        line.averagingNanoseconds = averaging.map { Int64($0 * 1e9) }
        line.limitWatts = limit
        return line
    }

    /// What the gauge shows: the mean of the last `averaging` seconds, milliwatts.
    private func samples(_ course: PowerCourse, averaging: Double, until end: Double) -> [SampleLine] {
        SimulatedSampler().times(until: end).map { time in
            let watts =
                averaging > 0
                ? (course.energy(time) - course.energy(time - averaging)) / averaging
                : (course.energy(time + 1e-6) - course.energy(time)) / 1e-6
            return SampleLine(
                time: moment(time), sources: [0], deltas: [10_000], values: [Int64(watts * 1000)])
        }
    }

    private func estimate(
        _ course: PowerCourse, averaging: Double?, over spans: [Span]
    ) -> Result<EnergyEstimate, Unavailable> {
        EnergyLedger(
            sources: [line(averaging: averaging)],
            samples: samples(course, averaging: averaging ?? 0, until: 60), marks: []
        ).energy(over: PhaseSpans(spans: spans))
    }

    @Test func powerIsIntegratedAndTheMethodSaysSo() throws {
        var course = PowerCourse(100)
        course.change(at: 20, to: 400)
        course.change(at: 40, to: 100)
        let average = try estimate(course, averaging: 1, over: [span(20, 40)]).get()
        #expect(average.method == "integrated, averaging time 1 s")
        // The first averaging time, in which the gauge still rises, is not used.
        #expect(abs(average.joules / 8000 - 1) < 0.01)
        #expect(average.low <= 8000 && 8000 <= average.high)
        let instant = try estimate(course, averaging: nil, over: [span(20, 40)]).get()
        #expect(instant.method == "integrated, averaging time unknown")
        #expect(abs(instant.joules / 8000 - 1) < 0.01)
        #expect(instant.low <= 8000 && 8000 <= instant.high)
    }

    /// A steady reading hides what is below its last digit: there is no interval of no width.
    @Test(arguments: [(42.5, 0.5), (42.0, 1), (200.0, 1), (0.04, 0.02), (61.723, 0.001)])
    func aSteadyReadingIsKnownToItsResolution(watts: Double, step: Double) throws {
        var read = samples(PowerCourse(watts), averaging: 0, until: 60)
        for index in read.indices { read[index].values = [Int64((watts * 1000).rounded())] }
        let ledger = EnergyLedger(sources: [line(averaging: nil)], samples: read, marks: [])
        let energy = try ledger.energy(over: PhaseSpans(spans: [span(20, 40)])).get()
        #expect(abs(energy.joules - 20 * watts) < 1e-6 * watts)
        #expect(abs(energy.high - energy.joules - 20 * step / 2) < 1e-9, "\(energy)")
        #expect(abs(energy.joules - energy.low - 20 * step / 2) < 1e-9, "\(energy)")
    }

    @Test func theUnitOfManyReadingsIsTheirs() {
        var grid = GaugeResolution(scale: 1e-6)
        #expect(grid.estimate == 1e-6)
        for value in 1...20 { grid.add(Int64(value) * 4_000_000) }
        #expect(grid.estimate == 4)
        grid.add(41_000_001)
        #expect(abs(grid.estimate - 1e-6) < 1e-15)
    }

    /// Three times what the value tells of, whoever names that time (docs/metrics.md, "Gauges").
    @Test(arguments: [1.0, nil])
    func threeAveragingTimesAreEnough(averaging: Double?) throws {
        var course = PowerCourse(100)
        course.change(at: 20, to: 400)
        course.change(at: 23.2, to: 100)
        // Renewed once a second, whether a mean of that second or the power at that moment.
        let read = SimulatedSampler().times(until: 60).map { time -> SampleLine in
            let update = time.rounded(.down)
            let watts =
                averaging == nil
                ? course.energy(update + 1e-6) - course.energy(update)
                : (course.energy(update) - course.energy(update - 1)) * 1e-6
            return SampleLine(
                time: moment(time), sources: [0], deltas: [10_000], values: [Int64((watts * 1e9).rounded())])
        }
        var source = line(averaging: averaging)
        source.updatePeriodNanoseconds = 1_000_000_000
        let ledger = EnergyLedger(sources: [source], samples: read, marks: [])
        let energy = try ledger.energy(over: PhaseSpans(spans: [span(20, 23.2)])).get()
        #expect(energy.low <= 3.2 * 400 && 3.2 * 400 <= energy.high, "\(energy)")
        #expect(energy.high - energy.low > 100)
        let short = ledger.energy(over: PhaseSpans(spans: [span(20, 22.8)]))
        #expect(short.reason?.contains("phases not separable") == true, "\(short)")
    }

    /// A value that stays the same may have been renewed all the same.
    @Test func aSteadyGaugeIsNotASlowOne() {
        func period(changes: [Int], declared: Double? = nil) -> UpdatePeriod? {
            let gaps = (1...600).map { ReadGap(seconds: 0.1, moved: changes.contains($0)) }
            return GaugeRenewals.period(gaps, declared: declared.map { Seconds($0) }, interval: 0.1)
        }
        // Renewed once a second, and often to the same value.
        let often = (0..<60).filter { ![3, 4, 5, 11, 20, 21, 22, 23, 40].contains($0) }.map { 10 * $0 + 3 }
        #expect(period(changes: often).map { abs($0.seconds - 1) < 0.05 } == true)
        #expect(period(changes: often)?.basis == .observed)
        // A few changes bound it, and agree with what the source names.
        let few = period(changes: [200, 232])
        #expect(few?.basis == .atMost && abs((few?.seconds ?? 0) - 3.3) < 1e-9)
        #expect(period(changes: [200, 232], declared: 1)?.basis == .declared)
        #expect(period(changes: [200, 202], declared: 1)?.basis == .atMost)
        #expect(period(changes: []) == nil)
    }

    @Test func aSlowAverageDoesNotSeparateShortPhases() {
        var course = PowerCourse(100)
        for cycle in 0..<50 {
            course.change(at: Double(cycle) + 0.1, to: 400)
            course.change(at: Double(cycle) + 0.3, to: 150)
        }
        let spans = (5..<45).map { span(Double($0) + 0.1, Double($0) + 0.3) }
        let result = estimate(course, averaging: 1, over: spans)
        #expect(result.reason?.contains("phases not separable") == true)
    }

    @Test func implausibleReadingsAreSetAside() throws {
        let course = PowerCourse(200)
        var read = samples(course, averaging: 0, until: 60)
        read[100].values = [4_290_000_000]
        read[101].values = [-5]
        let ledger = EnergyLedger(sources: [line(averaging: nil)], samples: read, marks: [])
        #expect(ledger.sources[0].gauge?.implausible == 2)
        let energy = try ledger.energy(over: PhaseSpans(spans: [span(5, 45)])).get()
        #expect(abs(energy.joules / 8000 - 1) < 0.001)
        for index in read.indices { read[index].values = [4_290_000_000_000] }
        let broken = EnergyLedger(sources: [line(averaging: nil)], samples: read, marks: [])
        #expect(broken.sources[0].health.status == .unsupported)
        #expect(broken.sources[0].problem?.contains("not plausible") == true)
        #expect(broken.total.includes.isEmpty)
    }

    @Test func gapsAndZerosAreNoPower() {
        var read = samples(PowerCourse(200), averaging: 0, until: 60)
        for index in 200..<230 { read[index].values = [nil] }
        let ledger = EnergyLedger(sources: [line(averaging: nil)], samples: read, marks: [])
        #expect(
            ledger.energy(over: PhaseSpans(spans: [span(15, 25)])).reason
                == "nvml:0/power: void: no reading for 3.1 s")
        #expect(ledger.energy(over: PhaseSpans(spans: [span(30, 50)])).value != nil)
        for index in read.indices { read[index].values = [0] }
        let zero = EnergyLedger(sources: [line(averaging: nil)], samples: read, marks: [])
        #expect(zero.sources[0].problem == "reads 0 W throughout")
    }
}
