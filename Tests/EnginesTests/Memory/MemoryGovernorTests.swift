import Testing

@testable import Engines

@Suite struct MemoryGovernorTests {
    private typealias Reading = MemoryGovernor.Reading

    /// A budget of 1000: 900 free, 100 held.
    private func governor() throws -> MemoryGovernor {
        try #require(MemoryGovernor(start: Reading(available: 900, footprint: 100)))
    }

    @Test func eachLevelFiresOnceOnTheWayDown() throws {
        var governor = try governor()
        var fired: [[MemoryGovernor.Level]] = []
        for left in stride(from: 200, through: 0, by: -10) as StrideThrough<Int> {
            let held = UInt64(1000 - left)
            let levels = governor.pollOnce(Reading(available: UInt64(left), footprint: held))
            if !levels.isEmpty { fired.append(levels) }
        }
        #expect(fired == [[.low], [.lower], [.lowest], [.stop]])
    }

    @Test func aSuddenFallFiresAllOfThem() throws {
        var governor = try governor()
        #expect(governor.pollOnce(Reading(available: 20, footprint: 980)) == [.low, .lower, .lowest, .stop])
        #expect(governor.pollOnce(Reading(available: 10, footprint: 990)).isEmpty)
    }

    /// 12 % arms again above 18 %, and not at 18 %.
    @Test func aLevelArmsAgainWellAboveItself() throws {
        var governor = try governor()
        #expect(governor.pollOnce(Reading(available: 120, footprint: 880)) == [.low])
        #expect(governor.pollOnce(Reading(available: 180, footprint: 820)).isEmpty)
        #expect(governor.pollOnce(Reading(available: 110, footprint: 890)).isEmpty)
        #expect(governor.pollOnce(Reading(available: 181, footprint: 819)).isEmpty)
        #expect(governor.pollOnce(Reading(available: 110, footprint: 890)) == [.low])
    }

    /// Another program takes the memory: the worker has not grown and yet there is none left.
    @Test func othersCanTakeIt() throws {
        var governor = try governor()
        #expect(governor.left(Reading(available: 300, footprint: 100)) == 0.3)
        #expect(governor.pollOnce(Reading(available: 30, footprint: 100)) == [.low, .lower, .lowest, .stop])
        // Memory that others gave back does not raise the budget.
        #expect(governor.left(Reading(available: 5000, footprint: 100)) == 0.9)
    }

    @Test func readingsThatCannotBe() throws {
        #expect(MemoryGovernor(start: Reading(available: 0, footprint: 0)) == nil)
        #expect(MemoryGovernor(start: Reading(available: .max, footprint: 1)) == nil)
        var governor = try governor()
        #expect(governor.pollOnce(Reading(available: .max, footprint: .max)).last == .stop)
    }
}
