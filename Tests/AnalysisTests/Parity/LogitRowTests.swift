import Testing

@testable import Analysis

@Suite struct LogitRowTests {
    private func row(_ logits: [Float]) -> LogitRow? {
        logits.withUnsafeBufferPointer { LogitRow($0) }
    }

    static func divergence(_ a: [Float], _ b: [Float]) -> Double? {
        a.withUnsafeBufferPointer { a in
            b.withUnsafeBufferPointer { b in
                guard let own = LogitRow(a), let other = LogitRow(b) else { return nil }
                return own.divergence(a, to: other, b)
            }
        }
    }

    @Test func theSumOfARowIsKnown() throws {
        #expect(abs(try #require(row([0, 0, 0, 0])).logSum - 4.0.logarithm) < 1e-15)
        // ln(e^1 + e^2 + e^3)
        #expect(abs(try #require(row([1, 2, 3])).logSum - 3.407_605_964_444_380_2) < 1e-14)
        // Far from 0 nothing overflows and nothing is lost.
        #expect(abs(try #require(row([30_001, 30_002, 30_003])).logSum - 30_003.407_605_964_444) < 1e-10)
        #expect(try #require(row([-1e30, 5])).logSum == 5)
        #expect(try #require(row([-.infinity, 5])).logSum == 5)
    }

    /// Against the exponential of the statistics, over all that a logit can be below the largest.
    @Test func everyDistanceFromTheLargestCounts() throws {
        for step in 0..<400 {
            let below = Float(step) * -0.09
            let sum = try #require(row([0, below])).logSum
            let expected = (1 + Double(below).exponential).logarithm
            #expect(abs(sum - expected) <= 1e-15, "\(below)")
        }
    }

    @Test func theMostLikelyTokenIsTheFirstOfEquals() {
        #expect(row([1, 3, 3, 2])?.top == 1)
        #expect(row([-5])?.top == 0)
    }

    @Test func whatIsNoDistributionIsNone() {
        #expect(row([1, .nan]) == nil)
        #expect(row([.nan, 1]) == nil)
        #expect(row([1, .infinity]) == nil)
        #expect(row([-.infinity, -.infinity]) == nil)
        #expect(row([]) == nil)
    }

    /// 0.5 ln(0.5 / 0.9) + 0.5 ln(0.5 / 0.1) = 0.5108256237659907
    @Test func aDivergenceIsKnown() throws {
        let even: [Float] = [0, 0]
        let odd: [Float] = [Float(0.9.logarithm), Float(0.1.logarithm)]
        #expect(abs(try #require(Self.divergence(even, odd)) - 0.510_825_623_765_990_7) < 1e-7)
        // It is not the same the other way round: 0.9 ln 1.8 + 0.1 ln 0.2.
        #expect(abs(try #require(Self.divergence(odd, even)) - 0.368_064_207_168_497_6) < 1e-7)
    }

    @Test func aConstantChangesNothing() throws {
        let logits: [Float] = [0.5, -1, 2, 8]
        #expect(Self.divergence(logits, logits) == 0)
        #expect(try #require(Self.divergence(logits, logits.map { $0 + 4 })) < 1e-14)
    }

    @Test func whatIsImpossibleDivergesWithoutEndWhereItIsPossible() {
        #expect(Self.divergence([0, 0], [0, -.infinity]) == .infinity)
        // The other way round it is a choice less, and finite: ln 2.
        #expect(abs((Self.divergence([0, -.infinity], [0, 0]) ?? 0) - 2.0.logarithm) < 1e-15)
    }
}
