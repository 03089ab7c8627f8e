import Testing

@testable import Analysis

@Suite struct DetectableChangeTests {
    private func precision(
        step: Double = 0, rounding: Double = 0, edge: Double = 0, noise: Double = 0, blocks: Int = 21,
        blockSeconds: Double = 0.1
    ) -> PowerPrecision {
        PowerPrecision(
            step: step, rounding: rounding, edge: edge, noise: noise, blocks: blocks,
            blockSeconds: blockSeconds)
    }

    private func isNear(_ value: Double?, _ truth: Double) -> Bool {
        value.map { abs($0 - truth) <= 1e-6 * truth } ?? false
    }

    /// Each term by itself, worked out by hand: z = 1.959964, t(20) = 2.085963.
    @Test func terms() {
        #expect(precision().smallestChange(over: 60) == 0)
        // 1.959964 x 60 J / (sqrt 3 x 60 s)
        #expect(isNear(precision(step: 60).smallestChange(over: 60), 1.131_585_7))
        #expect(isNear(precision(edge: 60).smallestChange(over: 60), 1.131_585_7))
        // 1.959964 x 3 W / sqrt 6
        #expect(isNear(precision(rounding: 3).smallestChange(over: 60), 2.400_456))
        // 2.085963 x sqrt(2 x 4 W^2 x 0.1 s / 60 s)
        #expect(isNear(precision(noise: 4).smallestChange(over: 60), 0.240_866_3))
        let all = precision(step: 60, rounding: 3, edge: 60, noise: 4).smallestChange(over: 60)
        #expect(
            isNear(
                all,
                (2 * 1.131_585_7 * 1.131_585_7 + 2.400_456 * 2.400_456 + 0.240_866_3 * 0.240_866_3)
                    .squareRoot()))
    }

    /// Step and edges fall as 1 / T, noise as 1 / sqrt T, rounding stays; fewer blocks know less.
    @Test func lengths() throws {
        func ratio(_ precision: PowerPrecision) throws -> Double {
            try #require(precision.smallestChange(over: 60)) / #require(precision.smallestChange(over: 240))
        }
        #expect(isNear(try ratio(precision(step: 1)), 4))
        #expect(isNear(try ratio(precision(noise: 1)), 2))
        #expect(isNear(try ratio(precision(rounding: 1)), 1))
        let few = try #require(precision(noise: 1, blocks: 4).smallestChange(over: 60))
        let many = try #require(precision(noise: 1, blocks: 60).smallestChange(over: 60))
        #expect(few > 1.5 * many)
        #expect(precision(noise: 1, blocks: 1).smallestChange(over: 60) == nil)
        #expect(precision().smallestChange(over: 0) == nil)
    }

    /// Simulated: of pairs of equal runs about one in twenty differs by more.
    @Test func coverage() {
        var random = EnergyRandom(seed: 11)
        let (step, edge) = (5.0, 20.0)
        // Noise of the whole run that blocks of 0.1 s with this variance make.
        let noise = 9.0
        let change =
            precision(step: step, edge: edge, noise: noise, blocks: 1000).smallestChange(over: 60) ?? 0
        func mean() -> Double {
            // Twelve uniform numbers are near enough to a normal one.
            let normal = (0..<12).reduce(0) { sum, _ in sum + random.uniform(-0.5...0.5) }
            let edges =
                random.uniform(-0.5...0.5) * step + random.uniform(-0.5...0.5) * step
                + random.uniform(-0.5...0.5) * edge + random.uniform(-0.5...0.5) * edge
            return edges / 60 + normal * (noise * 0.1 / 60).squareRoot()
        }
        let beyond = (0..<4000).count { _ in abs(mean() - mean()) > change }
        // 200 expected, standard deviation 14.
        #expect((150...250).contains(beyond), "\(beyond)")
    }
}

@Suite struct DoctorReportTests {
    /// A counter that is read every half millisecond for some seconds.
    private func report(_ counters: [SimulatedCounter], seconds: Double = 2.1) -> DoctorReport {
        let machine = counters.enumerated().map {
            index, counter -> (line: SourceLine, counter: SimulatedCounter) in
            var line = counter.line(index)
            line.id = "counter-\(index)"
            return (line, counter)
        }
        let samples = (0..<Int(seconds * 2000)).map { tick -> SampleLine in
            let time = Double(tick) * 0.0005
            return SampleLine(
                time: moment(time), sources: machine.map(\.line.index), deltas: machine.map { _ in 2000 },
                values: machine.map { $0.counter.value(at: time) })
        }
        return DoctorReport(
            rows: machine.map { CapabilitiesLine.Row(id: $0.line.id, status: .ok) },
            lines: machine.map(\.line), others: [], samples: samples, seconds: seconds)
    }

    @Test func periodStepAndPower() throws {
        let look = try #require(
            report([SimulatedCounter(course: PowerCourse(50), period: 0.002)]).sources.first)
        #expect(look.status == .ok)
        let period = try #require(look.updatePeriodSeconds.number)
        #expect(abs(period - 0.002) < 0.0002, "\(period)")
        #expect(abs(try #require(look.watts.number) - 50) < 0.5)
        #expect(abs(try #require(look.resolution.number) - 1 / 16_384) < 1e-9, "\(look.resolution)")
        let change = try #require(
            look.minimumDetectableEffectWatts.number, "\(look.minimumDetectableEffectWatts)")
        // At least what edges of one period at 50 W make in a minute.
        #expect(change >= 1.96 * 0.1 / (3.0.squareRoot() * 60))
        #expect(change < 0.1)
    }

    @Test func deadAndMirrored() {
        var random = EnergyRandom(seed: 5)
        var course = PowerCourse(60)
        for step in 1...200 { course.change(at: Double(step) / 50, to: random.uniform(20...150)) }
        let moving = SimulatedCounter(course: course, period: 0.001)
        let report = report([moving, SimulatedCounter(course: PowerCourse(0), period: 0.001), moving])
        #expect(report.sources.map(\.status) == [.ok, .dead, .mirrored])
        #expect(report.total.includes == ["counter-0"])
        #expect(
            report.minimumDetectableEffectWatts.number
                == report.sources[0].minimumDetectableEffectWatts.number)
        #expect(report.sources[1].minimumDetectableEffectWatts.reason?.hasPrefix("dead") == true)
    }

    /// A counter of 100 ms needs blocks of half a second: four of them at least.
    @Test func tooShortALook() throws {
        let slow = SimulatedCounter(course: PowerCourse(50), period: 0.5)
        let look = try #require(report([slow]).sources.first)
        #expect(look.minimumDetectableEffectWatts.reason?.contains("--seconds") == true, "\(look)")
        let long = try #require(report([slow], seconds: 20).sources.first)
        #expect(long.minimumDetectableEffectWatts.number != nil, "\(long.minimumDetectableEffectWatts)")
    }

    @Test func rowsWithoutASource() throws {
        let rows = [
            CapabilitiesLine.Row(id: "rapl", status: .noPermission, reason: "why", remedy: "do"),
            CapabilitiesLine.Row(id: "hwmon", status: .absent, reason: "none", remedy: "do"),
            CapabilitiesLine.Row(id: "cpu:busy", status: .ok),
        ]
        let context = SourceLine(
            index: -1, id: "cpu:busy", kind: .counter, quantity: .time, scale: 1,
            scope: SourceLine.Scope(domain: "system", device: "system"), interface: "procfs",
            intervalNanoseconds: 1)
        let report = DoctorReport(rows: rows, lines: [], others: [context], samples: [], seconds: 0)
        #expect(report.remedies == ["do"])
        #expect(report.total.unavailable == "no energy source")
        #expect(report.minimumDetectableEffectWatts.reason == "no energy source")
        #expect(report.sources[0].watts.reason == "why")
        #expect(report.sources[2].watts.reason == "tells no energy")
        let text = String(decoding: try CanonicalJSON.line(report), as: UTF8.self)
        #expect(text.contains("\"reason\":null"))
        #expect(try CanonicalJSON.decode(DoctorReport.self, from: Array(text.utf8)) == report)
    }
}
