import Testing

@testable import Analysis

private func read(_ seconds: Double, _ value: Int64?) -> CounterRead {
    CounterRead(before: moment(seconds), after: moment(seconds) + Nanoseconds(10_000), value: value)
}

private let microjoules = 1e-6

private func package(
    range: Int64? = 262_143_328_850, reason: String? = nil, limit: Double? = nil, domain: String = "package"
) -> CounterTraits {
    CounterTraits(
        scale: microjoules, range: range, rangeReason: reason, limit: limit.map { Watts($0) }, domain: domain)
}

private func outcomes(_ traits: CounterTraits, _ reads: [(Double, Int64?)]) -> [CounterOutcome?] {
    var unwrapper = CounterUnwrapper(traits)
    return reads.map { unwrapper.feed(read($0.0, $0.1)) }
}

private func series(_ traits: CounterTraits, _ reads: [(Double, Int64?)]) -> CounterSeries {
    CounterSeries(traits, reads: reads.enumerated().map { ($0.offset, read($0.element.0, $0.element.1)) })
}

@Suite struct EnergyUnwrapTests {
    /// From R - 5,000 to 3,000: 8,000 and at most one step of 61 more; the range itself is a value.
    @Test(arguments: [262_143_328_850, 65_712_999_613] as [Int64])
    func aWrapIsCountedOnce(range: Int64) {
        let found = outcomes(package(range: range), [(0, range - 5_000), (0.1, 3_000), (0.2, 4_000)])
        #expect(found == [.first, .wrapped(8_000), .advanced(1_000)])
        let counted = series(package(range: range), [(0, range - 5_000), (0.1, 3_000)])
        #expect(counted.wraps.count == 1)
        #expect(counted.movements.last?.total == 8_000)
    }

    @Test func theRangeItselfIsAValue() {
        let found = outcomes(
            package(range: 262_143_328_850), [(0, 262_143_328_849), (0.1, 262_143_328_850), (0.2, 0)])
        #expect(found == [.first, .advanced(1), .wrapped(0)])
    }

    @Test func withoutRangeAFallIsVoidAndNamesTheReason() throws {
        let why = "max_energy_range_uj: permission denied (errno 13)"
        let traits = package(range: nil, reason: why)
        let counted = series(traits, [(0, 9_000_000), (0.1, 9_500_000), (0.2, 12), (0.3, 500_012)])
        let void = try #require(counted.voids.first)
        #expect(counted.voids.count == 1)
        #expect(void.reason.contains(why))
        #expect(void.span.end >= moment(0.2))
        #expect(counted.movements.map(\.total) == [0, 500_000, 500_000, 1_000_000])
        #expect(counted.resets == 0)
    }

    @Test func aCounterThatNeverWrapsIsReset() {
        let found = outcomes(package(range: nil), [(0, 9_000_000), (0.1, 12)])
        guard case .reset? = found[1] else {
            Issue.record("not a reset: \(String(describing: found[1]))")
            return
        }
    }

    /// 262 kJ at 500 W are 524 s: a gap of 1,100 s may hide a wrap, whatever the value does in it.
    @Test(arguments: [1_000_000, 260_000_000_000, 131_000_000_000] as [Int64])
    func aGapThatCouldHideAWrapIsAmbiguous(after: Int64) throws {
        let found = outcomes(package(), [(0, 130_000_000_000), (0.1, 130_001_000_000), (1100, after)])
        guard case .ambiguous(let reason)? = found[2] else {
            Issue.record("not ambiguous: \(String(describing: found[2]))")
            return
        }
        #expect(reason.contains("hide a wrap"))
    }

    @Test func aResetVoidsItsIntervalAndCountingGoesOn() throws {
        let counted = series(
            package(),
            [(0, 100_000_000_000), (0.1, 100_005_000_000), (0.2, 2_000), (0.3, 5_002_000), (0.4, 10_002_000)])
        #expect(counted.resets == 1)
        #expect(counted.voids.count == 1)
        #expect(counted.voids.first?.reason.hasPrefix("reset") == true)
        #expect(counted.movements.map(\.total) == [0, 5_000_000, 5_000_000, 10_000_000, 15_000_000])
        #expect(counted.movements.map(\.afterVoid) == [false, false, true, false, false])
        // What the counter held since it last moved is lost with it.
        let void = try #require(counted.voids.first)
        #expect(void.span.begin <= moment(0.1))
    }

    @Test func theCeilingAppliesToRises() {
        // 500 W for 0.1 s and the lateness of 0.1 s are 100 J.
        let found = outcomes(package(), [(0, 0), (0.1, 5_000_000), (0.2, 95_000_000), (0.3, 1_000_000_000)])
        #expect(found[2] == .advanced(90_000_000))
        guard case .ambiguous(let reason)? = found[3] else {
            Issue.record("not ambiguous")
            return
        }
        #expect(reason.contains("rose by 905 J"))
    }

    @Test func theCeilingIsTheLargestOfThree() {
        var plain = CounterUnwrapper(package())
        #expect(plain.ceiling == Watts(500))
        #expect(CounterUnwrapper(package(domain: "dram")).ceiling == Watts(200))
        #expect(CounterUnwrapper(package(limit: 253)).ceiling == Watts(1012))
        #expect(CounterUnwrapper(package(limit: 55)).ceiling == Watts(500))
        #expect(CounterUnwrapper(package(limit: .nan)).ceiling == Watts(500))
        // A part that has been seen at 300 W for long may draw four times that.
        for second in 0...100 { _ = plain.feed(read(Double(second) * 10, Int64(second) * 3_000_000_000)) }
        #expect(abs(plain.ceiling.value - 1200) < 20)
        #expect(abs(plain.ownMaximum.value - 300) < 5)
    }

    @Test func pollAtLeastEvery() {
        let often = CounterUnwrapper(package()).pollAtLeastEvery?.value ?? 0
        #expect(abs(often - 262_143.328850 / 2000) < 1e-6)
        #expect(CounterUnwrapper(package(range: nil)).pollAtLeastEvery == nil)
    }

    /// EIO for two seconds, then the counter has gone on: a gap, and all of its energy.
    @Test func readErrorsAreAGap() {
        var reads: [(Double, Int64?)] = (0...20).map { (Double($0) * 0.1, Int64($0) * 5_000_000) }
        reads += (21...40).map { (Double($0) * 0.1, nil) }
        reads += (41...60).map { (Double($0) * 0.1, Int64($0) * 5_000_000) }
        let counted = series(package(), reads)
        #expect(counted.voids.isEmpty)
        #expect(counted.failedReads == 20)
        #expect(counted.movements.last?.total == 300_000_000)
    }

    /// Read ten times for each movement: the power is that of the moments it moved.
    @Test func repeatsAreNotZeroWatts() {
        let reads: [(Double, Int64?)] = (0...1000).map { (Double($0) * 0.01, Int64($0 / 10) * 5_000_000) }
        let counted = series(package(), reads)
        #expect(counted.movements.count == 101)
        let rates = counted.rates
        #expect(rates.count == 100)
        #expect(rates.allSatisfy { abs($0.power.value - 50) < 0.01 })
        #expect(abs((counted.period?.seconds ?? 0) - 0.1) < 0.002)
        #expect(counted.period?.basis == .observed)
    }

    @Test func badValuesAreVoidAndNeverTrap() {
        let worst: [Int64?] = [.min, .max, -1, 0, nil, .max, .min, 5, 262_143_328_851, 7]
        for range in [nil, 1, 262_143_328_850, .max, 0, -5] as [Int64?] {
            for scale in [1e-6, 1e-300, 1e300, .infinity, .nan, 0, -1] {
                var traits = package(range: range)
                traits.scale = scale
                let counted = CounterSeries(
                    traits,
                    reads: worst.enumerated().map { ($0.offset, read(Double($0.offset) * 0.1, $0.element)) })
                #expect(counted.goodReads == 9)
            }
        }
        let found = outcomes(package(), [(0, 5), (0.1, -7), (0.2, 9)])
        for outcome in found.dropFirst() {
            switch outcome {
            case .ambiguous, .reset: break
            default: Issue.record("a negative value was believed: \(String(describing: outcome))")
            }
        }
        guard case .ambiguous(let reason)? = outcomes(package(), [(0, 5), (0.1, 262_143_328_851)])[1] else {
            Issue.record("a value above the range was believed")
            return
        }
        #expect(reason.contains("above the range"))
    }
}

/// Any range, start, step pattern and read times: the truth or a void interval, never a wrong number.
@Suite struct EnergyUnwrapProperties {
    /// What a counter truly did, in whole raw units.
    private struct Truth {
        var times: [Double] = []
        var totals: [Int64] = []

        func total(at time: Double) -> Int64 {
            let next = times.partitioningIndex { $0 > time }
            return next == 0 ? 0 : totals[next - 1]
        }
    }

    private static func truth(_ random: inout EnergyRandom, scale: Double, seconds: Double) -> Truth {
        var truth = Truth()
        let period = random.magnitude(0.001...1)
        let updates = min(2000, Int(seconds / period))
        let spacing = seconds / Double(max(1, updates))
        var joules = 0.0
        var watts = random.uniform(0...450)
        for update in 0..<updates {
            if random.uniform(0...1) < 0.05 { watts = random.uniform(0...450) }
            joules += watts * spacing
            truth.times.append(Double(update + 1) * spacing)
            truth.totals.append(Int64(joules / scale))
        }
        return truth
    }

    private static func readTimes(_ random: inout EnergyRandom, seconds: Double, count: Int) -> [Double] {
        var times: [Double] = []
        var time = random.uniform(0...0.5)
        let typical = seconds / Double(count)
        while time < seconds {
            times.append(time)
            time +=
                random.uniform(0...1) < 0.02
                ? random.uniform(0...20) * typical : random.uniform(0.001...2) * typical
        }
        return times
    }

    @Test(arguments: 0..<40)
    func theTruthOrVoid(block: Int) {
        var random = EnergyRandom(seed: UInt64(block))
        var movements = 0
        var wraps = 0
        for _ in 0..<100 {
            let scale = [1e-6, 61.03515625e-6, 1e-3, 2.3283064365386962890625e-10][Int(random.integer(0...3))]
            let seconds = random.magnitude(20...100_000)
            let range = Int64(random.magnitude(10...1e6) / scale)
            let truth = Self.truth(&random, scale: scale, seconds: seconds)
            let start = random.integer(0...range)
            let times = Self.readTimes(&random, seconds: seconds, count: 120)
            let reads = times.enumerated().map { position, time in
                let failed = random.uniform(0...1) < 0.03
                let value = (start + truth.total(at: time)) % (range + 1)
                return (tick: position, read: read(time, failed ? nil : value))
            }
            let counted = CounterSeries(
                CounterTraits(scale: scale, range: range, domain: "package"), reads: reads)
            for (from, to) in zip(counted.movements, counted.movements.dropFirst()) where !to.afterVoid {
                let before = truth.total(at: (from.shown - moment(0)).seconds.value)
                let after = truth.total(at: (to.shown - moment(0)).seconds.value)
                let crossed = (start + after) / (range + 1) - (start + before) / (range + 1)
                movements += 1
                wraps += Int(crossed)
                // One step is missing at a wrap, by the convention; two wraps are never believed.
                #expect(crossed <= 1)
                #expect(Int64(to.total - from.total) == after - before - crossed)
            }
            #expect(counted.wraps.count <= counted.movements.count)
        }
        // The cases are not all void.
        #expect(movements > 500)
        #expect(wraps > 5)
    }

    /// Polled as often as it asks for, a counter has no void interval.
    @Test func polledOftenEnoughNothingIsVoid() {
        var random = EnergyRandom(seed: 99)
        for _ in 0..<200 {
            let range = Int64(random.magnitude(20_000...1e6) / microjoules)
            // A named limit, so that the ceiling does not rise with what the run sees.
            let traits = CounterTraits(scale: microjoules, range: range, limit: Watts(450), domain: "package")
            let interval = (CounterUnwrapper(traits).pollAtLeastEvery?.value ?? 0) * 0.99
            let seconds = interval * 60
            let truth = Self.truth(&random, scale: microjoules, seconds: seconds)
            let start = random.integer(0...range)
            let reads = (0..<60).map { position in
                let time = Double(position) * interval
                return (tick: position, read: read(time, (start + truth.total(at: time)) % (range + 1)))
            }
            let counted = CounterSeries(traits, reads: reads)
            #expect(counted.voids.isEmpty)
        }
    }

    /// A reset far from the end of the range is void; everything around it is right.
    @Test func resetsAreVoid() {
        var random = EnergyRandom(seed: 5)
        let range: Int64 = 262_143_328_850
        for _ in 0..<500 {
            let truth = Self.truth(&random, scale: microjoules, seconds: 20)
            let start = random.integer(30_000_000_000...200_000_000_000)
            let resetAt = random.uniform(3...17)
            let reads = (0..<200).map { position in
                let time = (moment(Double(position) * 0.1) - moment(0)).seconds.value
                let since = truth.total(at: time) - (time >= resetAt ? truth.total(at: resetAt) : 0)
                return (tick: position, read: read(time, (time >= resetAt ? 0 : start) + since))
            }
            let counted = CounterSeries(
                CounterTraits(scale: microjoules, range: range, domain: "package"), reads: reads)
            #expect(counted.resets == 1)
            #expect(counted.voids.map(\.reason).count == 1, "\(counted.voids.map(\.reason))")
            #expect(counted.voids.first.map { $0.span.contains(moment(resetAt)) } == true)
            for (from, to) in zip(counted.movements, counted.movements.dropFirst()) where !to.afterVoid {
                let before = truth.total(at: (from.shown - moment(0)).seconds.value)
                let after = truth.total(at: (to.shown - moment(0)).seconds.value)
                #expect(Int64(to.total - from.total) == after - before)
            }
        }
    }
}
