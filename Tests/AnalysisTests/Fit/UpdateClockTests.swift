import Testing

@testable import Analysis

/// The clock of a counter's updates, out of the reads around each.
@Suite struct UpdateClockTests {
    /// Brackets of the reads, every `poll` seconds, that see updates at these moments.
    private func brackets(_ moments: [Double], poll: Double) -> (middles: [Double], halves: [Double]) {
        let seen = moments.map { ($0 / poll).rounded(.up) * poll }
        return (seen.map { $0 - poll / 2 }, seen.map { _ in poll / 2 })
    }

    private func clock(_ moments: [Double], poll: Double = 0.05) -> UpdateClock? {
        let (middles, halves) = brackets(moments, poll: poll)
        return UpdateClock(middles: middles, halves: halves)
    }

    /// How far the clock is from the truth once what all moments are off by is taken away.
    private func error(_ moments: [Double], poll: Double = 0.05) throws -> Double {
        let found = try #require(clock(moments, poll: poll)).moments
        let shifts = zip(found, moments).map { $0 - $1 }
        let mean = shifts.reduce(0, +) / Double(shifts.count)
        return shifts.map { abs($0 - mean) }.max() ?? 0
    }

    @Test(arguments: [0.1, 0.1000002, 0.1003, 0.0997, 0.12, 0.1371])
    func eachUpdateIsKnownBetterThanByItsReads(period: Double) throws {
        let moments = (0..<600).map { 7.013 + period * Double($0) }
        #expect(try error(moments) < 0.003)
    }

    @Test func anUpdateThatNobodySawIsPassedOver() throws {
        let moments = (0..<600).filter { !$0.isMultiple(of: 7) }.map { 3.02 + 0.1 * Double($0) }
        #expect(try error(moments) < 0.001)
    }

    @Test func updatesAtOddTimesHaveNoClock() {
        var generator = SeededGenerator(seed: 5)
        let odd = (0..<600).map { 0.1 * Double($0) + 0.06 * generator.unit() }
        #expect(clock(odd, poll: 0.01) == nil)
        // A clock that stands still in between.
        let halted = (0..<600).map { 0.1 * Double($0) + ($0 > 300 ? 1.234 : 0) }
        #expect(clock(halted, poll: 0.01) == nil)
    }

    @Test func badNumbersHaveNone() {
        #expect(UpdateClock(middles: [], halves: []) == nil)
        #expect(clock((0..<15).map { 0.1 * Double($0) }) == nil)
        let one = [Double](repeating: 1, count: 50)
        #expect(UpdateClock(middles: one, halves: one) == nil)
        for bad in [Double.nan, .infinity, -.infinity] {
            var middles = (0..<50).map { 0.1 * Double($0) }
            middles[20] = bad
            #expect(UpdateClock(middles: middles, halves: middles.map { _ in 0.01 }) == nil)
        }
    }
}
