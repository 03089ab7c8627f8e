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
                SourceJudge.areMirrored(series(one, every: fast), series(one, every: slow)), "\(fast) \(slow)")
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

@Suite struct EnergyPeriodTests {
    private func period(_ period: Double, marks: Int, declared: Double? = nil) -> UpdatePeriod? {
        var random = EnergyRandom(seed: 12)
        let counter = SimulatedCounter(course: PowerCourse(100), period: period, phase: 0.0123)
        let times = SimulatedSampler().times(
            until: 300, marks: (0..<marks).map { _ in random.uniform(0...299) }, spacing: 50e-6)
        let reads = times.enumerated().map { position, time in
            (
                tick: position,
                read: CounterRead(
                    before: moment(time), after: moment(time) + Nanoseconds(9_000),
                    value: counter.value(at: time))
            )
        }
        return CounterSeries(
            CounterTraits(counter.line(0)), reads: reads, declaredPeriod: declared.map { Seconds($0) }
        ).period
    }

    @Test(arguments: [0.001, 0.01, 0.03, 0.1, 0.25, 1.0])
    func isFoundWithReadsAtMarks(truth: Double) throws {
        let found = try #require(period(truth, marks: 3000))
        #expect(found.basis == .observed)
        #expect(abs(found.seconds / truth - 1) < 0.35)
        #expect(found.upper >= truth)
        #expect(found.upper < 2.5 * truth)
    }

    @Test(arguments: [0.25, 1.0])
    func isFoundByTicksAloneWhenSlower(truth: Double) throws {
        let found = try #require(period(truth, marks: 0))
        #expect(found.basis == .observed)
        #expect(abs(found.seconds / truth - 1) < 0.05)
    }

    /// Reads that keep step with the device, as both run on crystals, now and then late: the interval holds the
    /// truth all the same. Counting gaps alone missed it.
    @Test(arguments: [0.0, 0.000_1, 0.000_26, 0.000_4, 0.000_499])
    func readsInStepWithTheDevice(phase: Double) throws {
        var random = EnergyRandom(seed: 9)
        for busy in [0.0, 0.1, 0.4] {
            let counter = SimulatedCounter(course: PowerCourse(85), period: 0.001, phase: phase)
            var reads: [(tick: Int, read: CounterRead)] = []
            var free = 0.0
            for tick in 0..<4000 {
                let due = Double(tick) * 0.0005
                // A late read puts off those that fall due meanwhile.
                let late = random.uniform(0...1) < busy ? random.uniform(0...0.001) : 0
                let time = max(due, free) + late
                if free > due + 0.0005 { continue }
                free = time + 20e-6
                reads.append(
                    (
                        tick,
                        CounterRead(
                            before: moment(time), after: moment(time) + Nanoseconds(20_000),
                            value: counter.value(at: time))
                    ))
            }
            let period = try #require(CounterSeries(CounterTraits(counter.line(0)), reads: reads).period)
            guard case .value(let value, .bounds(let low, let high), _) = period.figure else {
                Issue.record("\(period.figure)")
                continue
            }
            #expect(low <= 0.001 && 0.001 <= high, "\(busy): \(low) \(value) \(high)")
            // The more reads are late, the less is known.
            #expect(high - low < (busy == 0 ? 0.000_01 : 0.000_2), "\(busy): \(low) \(high)")
        }
    }

    /// A handful of renewals is enough where each was seen to within a tenth.
    @Test(arguments: [4.0, 5.5, 9.3])
    func aFewSecondsOfASlowCounter(seconds: Double) throws {
        let counter = SimulatedCounter(course: PowerCourse(50), period: 1, phase: 0.37)
        let reads = SimulatedSampler().times(until: seconds).enumerated().map { tick, time in
            (
                tick: tick,
                read: CounterRead(
                    before: moment(time), after: moment(time) + Nanoseconds(9_000),
                    value: counter.value(at: time))
            )
        }
        let found = try #require(CounterSeries(CounterTraits(counter.line(0)), reads: reads).period)
        #expect(abs(found.seconds - 1) < 0.3, "\(found)")
        if seconds > 5 {
            #expect(abs(found.seconds - 1) < 0.05, "\(found)")
            #expect(found.upper < 1.2, "\(found)")
        }
    }

    @Test func isABoundWhenEveryReadMoved() throws {
        let found = try #require(period(0.001, marks: 0))
        #expect(found.basis == .atMost)
        #expect(abs(found.seconds - 0.1) < 0.001)
        guard case .value(_, .bounds(let low, let high), _) = found.figure else {
            Issue.record("no bounds")
            return
        }
        #expect(low == 0 && abs(high - 0.1) < 0.001)
    }

    /// A few marks just behind ticks show a value that stands still, and nothing about its period.
    @Test func stillnessShorterThanTheNamedPeriodDoesNotSpeakAgainstIt() throws {
        let counter = SimulatedCounter(course: PowerCourse(100), period: 0.001, phase: 0.0123)
        let ticks = SimulatedSampler().times(until: 20)
        let times = (ticks + ticks.prefix(6).map { $0 + 0.0002 }).sorted()
        let reads = times.enumerated().map { position, time in
            (
                tick: position,
                read: CounterRead(
                    before: moment(time), after: moment(time) + Nanoseconds(9_000),
                    value: counter.value(at: time))
            )
        }
        func found(_ declared: Double?) -> UpdatePeriod? {
            CounterSeries(
                CounterTraits(counter.line(0)), reads: reads, declaredPeriod: declared.map { Seconds($0) }
            ).period
        }
        #expect(found(0.001)?.basis == .declared)
        #expect(found(0.001)?.seconds == 0.001)
        // Where nobody names one, and where stillness often lasted longer than it, the reads alone tell.
        #expect(found(nil)?.basis == .observed)
        #expect(found(0.00005)?.basis == .observed)
    }

    @Test func aDeclaredPeriodFillsTheGapUnlessTheDataContradict() throws {
        let believed = try #require(period(0.001, marks: 0, declared: 0.001))
        #expect(believed.basis == .declared)
        #expect(believed.seconds == 0.001)
        let refuted = try #require(period(1.0, marks: 0, declared: 0.001))
        #expect(refuted.basis == .observed)
        #expect(abs(refuted.seconds - 1) < 0.05)
    }

    @Test func aFewShortGapsDoNotRefuteADeclaredPeriod() throws {
        // As marks make them on a counter of 1 ms that is otherwise read at 10 Hz.
        let usual = Array(repeating: ReadGap(seconds: 0.1, moved: true), count: 120)
        let still = [0.0001, 0.0002, 0.0003, 0.0005].map { ReadGap(seconds: $0, moved: false) }
        let moved = [0.0004, 0.0006, 0.0007, 0.0009].map { ReadGap(seconds: $0, moved: true) }
        let found = try #require(UpdatePeriod(gaps: usual + still + moved, declared: Seconds(0.001)))
        #expect(found.basis == .declared)
        #expect(found.seconds == 0.001)
        #expect(abs(found.upper - 0.00125) < 1e-9)
    }

    @Test func aCounterThatFrozeOnceKeepsItsDeclaredPeriod() throws {
        let moved = Array(repeating: ReadGap(seconds: 0.1, moved: true), count: 60)
        let frozen = Array(repeating: ReadGap(seconds: 0.1, moved: false), count: 50)
        let once = try #require(UpdatePeriod(gaps: moved + frozen + moved, declared: Seconds(0.001)))
        #expect(once.basis == .declared)
        let often = (0..<10).flatMap { _ in Array(frozen[..<9]) + [ReadGap(seconds: 0.1, moved: true)] }
        let slow = try #require(UpdatePeriod(gaps: often, declared: Seconds(0.001)))
        #expect(slow.basis == .observed)
        #expect(abs(slow.seconds - 1) < 1e-9)
    }

    @Test func noMovementNoPeriod() {
        #expect(UpdatePeriod(gaps: [], declared: nil) == nil)
        #expect(UpdatePeriod(gaps: [ReadGap(seconds: 0.1, moved: false)], declared: Seconds(0.001)) == nil)
        #expect(UpdatePeriod(gaps: [ReadGap(seconds: -1, moved: true)], declared: nil) == nil)
    }
}
