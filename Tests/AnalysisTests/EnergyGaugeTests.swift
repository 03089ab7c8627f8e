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
