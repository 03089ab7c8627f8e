import Analysis
import Testing

@testable import Session

@Suite struct ComparePlanTests {
    private func plan(_ generations: [Double], loading: Double = 0, leastBlock: Double = 0) -> ComparePlan {
        let arms = generations.map {
            ComparePlan.Arm(generation: Seconds($0), loading: Seconds(loading))
        }
        return ComparePlan(
            reference: arms[0], others: Array(arms.dropFirst()), leastBlock: Seconds(leastBlock),
            leastCycles: 3)
    }

    /// Twelve generations that count and three that are discarded.
    @Test func aQuadIsFifteenGenerations() {
        #expect(plan([1, 1]).round == Seconds(15))
        // Two blocks and one discarded generation are the variant's, two blocks and two are the reference's.
        #expect(plan([1, 2]).round == Seconds(8 + 14))
        #expect(plan([1, 1, 2]).round == Seconds(15 + 22))
        #expect(plan([1, 1], loading: 10).round == Seconds(45))
    }

    /// A slow counter makes blocks long: 20.4 s are 21 generations of 1 s.
    @Test func blocksAreAsLongAsTheCounterNeeds() {
        let least = ComparePlan.leastBlock(period: Seconds(1))
        #expect(abs(least.value - 20.4) < 1e-9)
        #expect(plan([1, 1], leastBlock: least.value).round == Seconds(4 * 21 + 3))
        #expect(ComparePlan.leastBlock(period: nil) == .zero)
    }

    @Test func aBudgetHoldsWholeQuads() {
        #expect(plan([1, 1]).quads(within: Seconds(15 * 20 + 14)) == 20)
        #expect(plan([1, 1]).quads(within: Seconds(15)) == 8)
        #expect(plan([1, 1]).quads(within: Seconds(-100)) == 8)
        #expect(plan([0, 0]).quads(within: Seconds(600)) == 8)
        #expect(plan([1, 1]).quads(within: Seconds(1e300)) == 100_000)
    }

    private func fit(_ status: FitReport.Status, need: UInt64 = 0, allowed: UInt64 = 0) -> FitReport {
        let parameters = FitParameters(
            contextTokens: 512, batchTokens: 512, microBatchTokens: 512, promptTokens: nil)
        var report = FitReport(status: status, reason: "", parameters: parameters)
        report.wholeSet = FitReport.Gate(needBytes: need << 20, allowedBytes: allowed << 20)
        return report
    }

    @Test func variantsStayWhereAllFit() {
        let half = fit(.fits, need: 500, allowed: 1000)
        #expect(ComparePlan.residency([half, half]).resident)
        let three = ComparePlan.residency([half, half, half])
        #expect(!three.resident)
        #expect(three.why == "all variants need 1500 MiB together, 1000 MiB are allowed")
        #expect(ComparePlan.residency([half, nil]).why.hasPrefix("nothing tells"))
        #expect(ComparePlan.residency([half, fit(.cannotTell)]).resident)
        #expect(!ComparePlan.residency([fit(.fits, need: 1 << 43), fit(.fits, need: 1 << 43)]).resident)
    }
}
