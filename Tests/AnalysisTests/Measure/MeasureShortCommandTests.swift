import Testing

@testable import Analysis

/// Commands that are short against the counters.
@Suite struct MeasureShortCommandTests {
    /// The number that `--repeat` is advised with.
    private func advised(_ reason: String?) -> Int? {
        guard let words = reason?.split(separator: " "), let flag = words.firstIndex(of: "--repeat") else {
            return nil
        }
        return Int(words[flag + 1])
    }

    @Test(arguments: [
        (seconds: 0.05, period: 0.1), (0.5, 0.1), (1.5, 0.1), (0.3, 1.0), (3.0, 1.0),
    ])
    func whatIsAdvisedHelps(seconds: Double, period: Double) throws {
        var machine = MeasuredMachine(watts: [80], seconds: seconds, period: period)
        let once = try #require(MeasureRecord(machine.facts().facts))
        let reason = try #require(once.total.gross.joules.reason)
        #expect(reason.contains("less than 20 times"), "\(reason)")
        #expect(once.sources[0].joules.reason == reason)
        let count = try #require(advised(reason))
        machine.watts = (0..<count).map { 80 + Double($0 % 5) }
        let (facts, truth) = machine.facts()
        let record = try #require(MeasureRecord(facts))
        let joules = facts.runs.reduce(0) { $0 + truth.energy(over: $1.span) } / Double(count)
        let found = try #require(record.total.gross.joules.number, "\(record.total.gross.joules)")
        let interval = try #require(intervalBounds(record.total.gross.joules))
        #expect(abs(found / joules - 1) < 0.05)
        #expect(interval.low <= joules && joules <= interval.high)
    }

    /// What is advised is not many times what it takes, wherever the command falls into the counter's period.
    @Test(arguments: [(seconds: 1.5, period: 1.0), (0.5, 0.1), (0.3, 1.0), (3.0, 1.0)])
    func noMoreIsAdvisedThanItTakes(seconds: Double, period: Double) throws {
        var machine = MeasuredMachine(watts: [80], seconds: seconds, period: period)
        machine.idleSeconds = 0
        machine.declaresPeriod = false
        let reason = try #require(MeasureRecord(machine.facts().facts)?.total.gross.joules.reason)
        let count = try #require(advised(reason), "\(reason)")
        #expect(Double(count) * seconds <= 40 * period, "\(count)")
        func isGiven(_ count: Int) throws -> Bool {
            machine.watts = Array(repeating: 80, count: count)
            return try #require(MeasureRecord(machine.facts().facts)).total.gross.joules.number != nil
        }
        #expect(try isGiven(count))
        // A fifth of it would not have been enough.
        if count >= 10 { #expect(try !isGiven(count / 5)) }
    }

    /// Reads that came late, on a busy machine: as many runs as were advised are not enough, and more would be.
    @Test func lateReadsAskForMoreRuns() throws {
        var machine = MeasuredMachine(watts: Array(repeating: 80, count: 10), seconds: 1.5, period: 1)
        machine.idleSeconds = 0
        var facts = machine.facts().facts
        let edges = [facts.runs[0].span.begin, facts.runs[9].span.end]
        facts.samples.removeAll { sample in
            edges.contains { abs((sample.time - $0).seconds.value) < 0.95 }
        }
        let reason = try #require(MeasureRecord(facts)?.total.gross.joules.reason)
        #expect(try #require(advised(reason), "\(reason)") > 10)
    }

    @Test(arguments: [(seconds: 0.00001, period: 1.0), (0.002, 0.1), (0.005, 0.001)])
    func aCommandOfNoLengthIsRefusedAndSaysWhatItTakes(seconds: Double, period: Double) throws {
        let machine = MeasuredMachine(watts: [80], seconds: seconds, period: period)
        let record = try #require(MeasureRecord(machine.facts().facts))
        let reason = try #require(record.total.gross.joules.reason)
        #expect(advised(reason) == nil)
        #expect(reason.contains("it takes a command of"))
        #expect(record.total.net.joules.reason == reason)
    }

    /// What a gauge has averaged no repetition brings back.
    @Test func anAveragingGaugeNeedsALongerCommand() throws {
        var facts = MeasuredMachine(watts: [80], seconds: 0.4).facts().facts
        var line = SourceLine(
            index: 0, id: "hwmon:board-0/power1", kind: .gauge, quantity: .power, scale: 1e-6,
            scope: SourceLine.Scope(domain: "gpu-board", device: "board-0"),
            interface: "hwmon:power1_average",
            intervalNanoseconds: 100_000_000)
        line.averagingNanoseconds = 1_000_000_000
        facts.sources = [line]
        for index in facts.samples.indices { facts.samples[index].values[0] = 80_000_000 + Int64(index) }
        let record = try #require(MeasureRecord(facts))
        let reason = try #require(record.total.gross.joules.reason)
        #expect(
            reason
                == "the command runs 0.4 s and the value tells of the last 1 s: it takes a command of 3 s or more"
        )
    }
}

@Suite struct SampleStoreTests {
    @Test func givesBackWhatItWasGiven() {
        var random = EnergyRandom(seed: 77)
        var store = SampleStore()
        var given: [SampleLine] = []
        for tick in 0..<500 {
            var line = SampleLine(
                time: Instant(nanoseconds: UInt64(tick) * 1_000_003), sources: [], deltas: [], values: [])
            for read in 0..<Int(random.integer(0...6)) {
                line.sources.append(Int(random.integer(0...65_535)))
                line.deltas.append(UInt32(random.integer(0...Int64(UInt32.max))))
                let failed = random.integer(0...3) == 0
                line.values.append(failed ? nil : random.integer(.min ... .max))
                if failed { line.errors[read] = Int32(random.integer(1...133)) }
            }
            given.append(line)
            store.append(line)
        }
        #expect(store.samples() == given)
        #expect(store.count == 500)
        #expect(store.samples(since: given[123].time) == Array(given[123...]))
        #expect(store.samples(since: Instant(nanoseconds: .max)).isEmpty)
    }
}
