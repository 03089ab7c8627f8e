import Testing

@testable import Analysis

@Suite struct CycleDitherTests {
    private func dither(_ cycle: Double, _ phase: Double, _ period: Double, seed: UInt64 = 1) -> CycleDither {
        CycleDither(
            cycle: Seconds(cycle), shortestPhase: Seconds(phase), updatePeriod: Seconds(period), seed: seed)
    }

    /// Cycles in step with the counter need it; one that goes through all places does not, nor a fast
    /// counter.
    @Test(arguments: [
        (1.0, 0.25, 1.0, true), (1.0001, 0.25, 1, true), (2, 0.25, 1, true), (0.5, 0.1, 1, true),
        (1.5, 0.25, 1, true), (1.309, 0.21, 1, false), (2.004, 0.25, 0.1, false), (1, 0.25, 0.01, false),
        (60, 25, 1, false),
    ])
    func isNeeded(cycle: Double, phase: Double, period: Double, expected: Bool) {
        #expect(dither(cycle, phase, period).isNeeded == expected)
    }

    @Test func gapsFillThePeriodAndFollowTheSeed() {
        let one = dither(1, 0.25, 1, seed: 7)
        let gaps = (0..<1000).map { one.gap(after: $0).value }
        #expect(gaps.allSatisfy { (0..<1).contains($0) })
        #expect(abs(gaps.reduce(0, +) / 1000 - 0.5) < 0.05)
        #expect((gaps.min() ?? 1) < 0.02 && (gaps.max() ?? 0) > 0.98)
        #expect(gaps == (0..<1000).map { dither(1, 0.25, 1, seed: 7).gap(after: $0).value })
        #expect(gaps != (0..<1000).map { dither(1, 0.25, 1, seed: 8).gap(after: $0).value })
        #expect(dither(1, 0.25, 0.01).gap(after: 3) == .zero)
    }

    @Test(arguments: [
        (0.0, 0.25, 1.0), (-1, 0.25, 1), (.nan, 0.25, 1), (1, 0, 1), (1, .nan, 1), (1, 0.25, .nan),
        (1, 0.25, .infinity), (1, 0.25, 0), (1, 0.25, -1), (.infinity, 0.25, 1),
    ])
    func wrongNumbersAskForNothing(cycle: Double, phase: Double, period: Double) {
        let made = dither(cycle, phase, period)
        #expect(!made.isNeeded)
        #expect(made.gap(after: 0) == .zero)
    }
}
