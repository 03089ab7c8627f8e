import Analysis
import Testing

@testable import Energy

@Suite struct ReadPaceTests {
    private static let millisecond = 1e-3

    /// Ten times as often as the counter moves, finer where that costs under a hundredth of a core, and never
    /// over a tenth of one where a longer interval exists.
    @Test(arguments: [
        // period ms, cost of a read ms, interval ms, held back by the cost
        (100.0, 0.02, 10, false), (100.3, 0.02, 10, false), (97, 0.02, 10, false), (50, 0.02, 5, false),
        (21, 0.001, 2, false), (1000, 0.02, 10, false), (1000, 0.2, 20, false), (1000, 3, 100, false),
        (100, 0.2, 10, false), (100, 1, 10, false), (100, 1.5, 20, true), (100, 3.2, 50, true),
        (100, 9.5, 100, true), (100, 14, 200, true), (100, 99, 1000, true), (100, 5000, 1000, true),
    ])
    func pace(period: Double, cost: Double, interval: Int64, isLimited: Bool) {
        let choice = ReadPace.choose(
            period: Nanoseconds(Seconds(period * Self.millisecond)), cost: cost * Self.millisecond)
        #expect(choice.interval == Nanoseconds(interval * 1_000_000))
        #expect(choice.isLimited == isLimited)
        #expect(choice.reason.contains("every \(interval) ms: renewed every "))
        #expect(choice.reason.contains("tenth of a core") == isLimited)
    }

    /// A counter that stands still, moves, or moves with each read.
    private func glance(_ values: [Int64], every nanoseconds: UInt64) -> CounterGlance {
        var glance = CounterGlance(0)
        for (step, value) in values.enumerated() { glance.add(value, at: UInt64(step) * nanoseconds) }
        return glance
    }

    @Test func aLookTellsThePeriod() {
        let slow = glance((0..<650).map { Int64($0 / 100) }, every: 1_000_000)
        #expect(slow.period == Nanoseconds(100_000_000))
        #expect(slow.isOver(after: 0))
        let fast = glance((0..<50).map { Int64($0) }, every: 1_000_000)
        #expect(fast.period == nil)
        let still = glance([Int64](repeating: 7, count: 1300), every: 1_000_000)
        #expect(still.period == nil)
        #expect(!still.isOver(after: 1_100_000_000) && still.isOver(after: 1_200_000_000))
        let second = glance((0..<1500).map { Int64($0 / 1000) }, every: 1_000_000)
        #expect(second.period == nil)
        #expect(!second.isOver(after: 1_500_000_000) && second.isOver(after: 3_200_000_000))
        // The look was away for a while: two gaps of a millisecond and one of 60.
        let stalled = glance([0, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3], every: 1_000_000)
        #expect(stalled.period == Nanoseconds(2_000_000))
    }

    /// A package that moves every millisecond needs no pace of its own.
    @Test func aFastCounterIsLeftAlone() throws {
        let counter = try LiveCounter(watts: 50)
        var probed = Probe.run(roots: SystemRoots(sysfs: counter.tree.root), power: .rapl, context: false)
        ReadPace.look(at: &probed.sources, ids: ["rapl:package-0"])
        let source = try #require(probed.sources.first)
        #expect(source.interval == nil && source.longestInterval == nil && source.line.pace == nil)
    }

    /// One that stands still is given up soon, and keeps the common interval.
    @Test func aCounterThatStandsStillIsGivenUp() throws {
        let tree = try TemporaryTree()
        let zone = "class/powercap/intel-rapl:0"
        try tree.write("package-0\n", to: "\(zone)/name")
        try tree.write("262143328850\n", to: "\(zone)/max_energy_range_uj")
        try tree.write("1000\n", to: "\(zone)/energy_uj")
        var probed = Probe.run(roots: SystemRoots(sysfs: tree.root), power: .rapl, context: false)
        ReadPace.look(at: &probed.sources, ids: ["rapl:package-0"])
        let source = try #require(probed.sources.first)
        #expect(source.seenPeriod == nil && source.line.pace == nil)
    }
}
