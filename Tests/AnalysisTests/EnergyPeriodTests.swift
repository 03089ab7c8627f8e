import Testing

@testable import Analysis

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
        // A look of two seconds at a counter of one second: it stood twice, and hardly ever moved.
        let still = Array(frozen[..<9])
        let look = still[..<5] + [ReadGap(seconds: 0.1, moved: true)] + still
        #expect(UpdatePeriod(gaps: Array(look), declared: Seconds(0.001))?.basis == .observed)
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
