import Testing

@testable import Analysis

@Suite struct EnergyHealthTests {
    /// A course that varies, as machines do.
    private static func course(seed: UInt64, seconds: Double) -> PowerCourse {
        var random = EnergyRandom(seed: seed)
        var course = PowerCourse(60)
        for step in 1...Int(seconds * 2) { course.change(at: Double(step) / 2, to: random.uniform(20...150)) }
        return course
    }

    private static func series(
        _ counter: SimulatedCounter, seconds: Double = 60, still: ClosedRange<Double>? = nil
    ) -> CounterSeries {
        let times = SimulatedSampler().times(until: seconds)
        let reads = times.enumerated().map { position, time in
            let shown = still.map { $0.contains(time) ? $0.lowerBound : time } ?? time
            return (
                tick: position,
                read: CounterRead(
                    before: moment(time), after: moment(time) + Nanoseconds(9_000),
                    value: counter.value(at: shown))
            )
        }
        return CounterSeries(CounterTraits(counter.line(0)), reads: reads)
    }

    private static let moving = series(SimulatedCounter(course: course(seed: 1, seconds: 60), period: 0.001))

    @Test func dead() {
        let still = Self.series(SimulatedCounter(course: PowerCourse(0), period: 0.001))
        #expect(SourceJudge.isDead(still, loaded: []))
        #expect(!SourceJudge.isDead(Self.moving, loaded: []))
        // Two reads prove nothing.
        #expect(
            !SourceJudge.isDead(
                Self.series(SimulatedCounter(course: PowerCourse(0), period: 1), seconds: 0.2), loaded: []))
    }

    @Test func aGPUIsDeadOnlyUnderLoad() {
        var traits = CounterTraits(scale: 1e-3, range: nil, domain: "gpu-board")
        traits.limit = Watts(700)
        let reads = (0..<600).map { position in
            let before = moment(Double(position) * 0.1)
            return (
                tick: position,
                read: CounterRead(before: before, after: before + Nanoseconds(9_000), value: 7)
            )
        }
        let still = CounterSeries(traits, reads: reads)
        #expect(!SourceJudge.isDead(still, loaded: []))
        #expect(!SourceJudge.isDead(still, loaded: [span(1, 2)]))
        #expect(!SourceJudge.isDead(still, loaded: [span(100, 200)]))
        #expect(SourceJudge.isDead(still, loaded: [span(1, 2), span(30, 32)]))
    }

    @Test func frozen() {
        let counter = SimulatedCounter(course: Self.course(seed: 2, seconds: 60), period: 0.01)
        let stuck = Self.series(counter, still: 20...30)
        let found = SourceJudge.frozen(stuck, others: [Self.moving])
        #expect(found.count == 1)
        #expect(found.first.map { $0.begin <= moment(20) && $0.end >= moment(30) } == true)
        // Nobody else moved: it may have been the machine.
        #expect(SourceJudge.frozen(stuck, others: []).isEmpty)
        #expect(SourceJudge.frozen(stuck, others: [Self.series(counter, still: 15...40)]).isEmpty)
        #expect(SourceJudge.frozen(Self.moving, others: [stuck]).isEmpty)
        // Still until the end.
        #expect(SourceJudge.frozen(Self.series(counter, still: 50...61), others: [Self.moving]).count == 1)
        // A second is ten of its periods: not yet frozen.
        let slow = SimulatedCounter(course: Self.course(seed: 2, seconds: 60), period: 0.1)
        #expect(SourceJudge.frozen(Self.series(slow, still: 20...21), others: [Self.moving]).isEmpty)
    }

    /// One joule a step: at 2 W it moves every half second, at 100 W at every read, and is not frozen at 2 W.
    @Test func coarseStepsAreNotFrozen() {
        var course = PowerCourse(100)
        course.change(at: 40, to: 2)
        let counter = SimulatedCounter(course: course, period: 0.001, step: 1)
        #expect(SourceJudge.frozen(Self.series(counter), others: [Self.moving]).isEmpty)
    }

    @Test func mirrored() {
        let course = Self.course(seed: 3, seconds: 60)
        let one = SimulatedCounter(course: course, period: 0.001)
        var copy = one
        copy.start = 77_000
        #expect(copies(one, copy))
        let other = SimulatedCounter(course: Self.course(seed: 4, seconds: 60), period: 0.001)
        #expect(!copies(one, other))
        // Two packages of one make at the same work come apart.
        let even = SimulatedCounter(course: PowerCourse(50), period: 0.001)
        let near = SimulatedCounter(course: PowerCourse(50.2), period: 0.001)
        #expect(copies(even, even))
        #expect(!copies(even, near))
        #expect(!copies(one, copy, seconds: 1))
    }

    /// One that is read at every second read of the other, and less often than both are renewed.
    @Test func mirroredAtAnotherPace() {
        func series(_ counter: SimulatedCounter, every step: Int) -> CounterSeries {
            let reads = stride(from: 0, to: 4000, by: step).map { tick in
                let time = Double(tick) * 0.0005
                return (
                    tick: tick,
                    read: CounterRead(
                        before: moment(time), after: moment(time) + Nanoseconds(9_000),
                        value: counter.value(at: time))
                )
            }
            return CounterSeries(CounterTraits(counter.line(0)), reads: reads)
        }
        let one = SimulatedCounter(course: Self.course(seed: 3, seconds: 60), period: 0.001, phase: 0.000_2)
        let other = SimulatedCounter(course: Self.course(seed: 4, seconds: 60), period: 0.001, phase: 0.000_2)
        for (fast, slow) in [(1, 2), (1, 8), (2, 4)] {
            #expect(
                SourceJudge.areMirrored(series(one, every: fast), series(one, every: slow)), "\(fast) \(slow)"
            )
            #expect(
                !SourceJudge.areMirrored(series(one, every: fast), series(other, every: slow)),
                "\(fast) \(slow)")
        }
        // Never read together: nothing is known.
        let odd = (0..<1000).map { 4 * $0 + 1 }.map { tick in
            (
                tick: tick,
                read: CounterRead(
                    before: moment(Double(tick) * 0.0005), after: moment(Double(tick) * 0.0005 + 1e-6),
                    value: one.value(at: Double(tick) * 0.0005))
            )
        }
        #expect(
            !SourceJudge.areMirrored(
                CounterSeries(CounterTraits(one.line(0)), reads: odd), series(one, every: 4)))
    }

    /// On a busy machine most reads of a tick are far apart: those that are not tell.
    @Test(arguments: [true, false])
    func mirroredOnABusyMachine(isCopy: Bool) {
        var random = EnergyRandom(seed: 21)
        let one = SimulatedCounter(course: Self.course(seed: 3, seconds: 60), period: 0.001)
        let two = isCopy ? one : SimulatedCounter(course: Self.course(seed: 4, seconds: 60), period: 0.001)
        var reads: [[(tick: Int, read: CounterRead)]] = [[], []]
        for tick in 0..<500 {
            var time = Double(tick) * 0.1
            for (index, counter) in [one, two].enumerated() {
                let begin = time
                time += random.uniform(0...1) < 0.5 ? 30e-6 : random.uniform(0.000_1...0.005)
                let value = counter.value(at: (begin + time) / 2)
                reads[index].append(
                    (tick, CounterRead(before: moment(begin), after: moment(time), value: value)))
            }
        }
        let series = reads.map { CounterSeries(CounterTraits(one.line(0)), reads: $0) }
        #expect(SourceJudge.areMirrored(series[0], series[1]) == isCopy)
    }

    private func copies(_ first: SimulatedCounter, _ second: SimulatedCounter, seconds: Double = 60) -> Bool {
        SourceJudge.areMirrored(
            Self.series(first, seconds: seconds), Self.series(second, seconds: seconds))
    }

    @Test(arguments: [(1.0 / 16_384, 61.035), (1.0 / 65_536, 15.259)])
    func resolutionOfRAPL(step: Double, units: Double) {
        let counter = SimulatedCounter(course: Self.course(seed: 6, seconds: 60), period: 0.001, step: step)
        #expect(abs(Self.series(counter).resolution - units) < 0.001)
    }

    @Test func resolutionOfWholeUnits() {
        let milli = SimulatedCounter(
            course: Self.course(seed: 6, seconds: 60), period: 0.1, step: 1e-3, unitsPerJoule: 1e3)
        #expect(Self.series(milli).resolution == 1)
        let coarse = SimulatedCounter(
            course: Self.course(seed: 6, seconds: 60), period: 0.1, step: 0.5, unitsPerJoule: 1e3)
        #expect(Self.series(coarse).resolution == 500)
    }
}
