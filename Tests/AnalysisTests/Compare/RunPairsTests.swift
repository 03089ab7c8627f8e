import Testing

@testable import Analysis

/// Whole runs in turns: what their pairs tell of a difference.
@Suite struct RunPairsTests {
    private func effect(
        _ pairs: [(Double, Double)], resolution: Double = 0
    ) throws -> PairedEffect {
        let list = try pairs.map { try #require(PairedEffect.RunPair(reference: $0.0, variant: $0.1)) }
        return try #require(PairedEffect.ofRuns(list, resolution: resolution).value)
    }

    /// Log ratios of 2 %, 3 % and 4 %: mean 3 %, standard deviation 1 %, t(2) = 4.302653.
    @Test func theIntervalIsStudents() throws {
        let effect = try effect([2, 3, 4].map { (10, 10 * ($0 / 100).exponential) })
        #expect(abs(effect.ratio.logarithm - 0.03) < 1e-12)
        let half = 4.302653 * 0.01 / 3.0.squareRoot()
        #expect(abs(effect.high.logarithm - 0.03 - half) < 1e-7)
        #expect(abs(0.03 - effect.low.logarithm - half) < 1e-7)
        // The reference repeats itself, the variant spreads by 1 %: t(4) = 2.776445.
        #expect(abs((1 + effect.floor).logarithm - 2.776445 * 0.01 / 3.0.squareRoot()) < 1e-7)
        #expect(effect.quads == 3 && effect.verdict == .different)
    }

    /// The pairs agree, but each build by itself varies by more than they differ.
    @Test func aPairingThatHappensToAgreeIsNoProof() throws {
        let effect = try effect([(10, 10.1), (11, 11.1), (12, 12.13)])
        #expect(effect.low > 1)
        #expect(effect.floor > 0.1)
        #expect(effect.verdict == .noDetectableDifference)
        #expect(effect.minimumDetectable >= effect.floor)
    }

    @Test func whatIsWithinTheResolutionIsNoDifference() throws {
        #expect(try effect([(1000, 1005), (1000, 1005)]).verdict == .different)
        #expect(
            try effect([(1000, 1005), (1000, 1005)], resolution: 0.01).verdict == .noDetectableDifference)
        #expect(try effect([(1000, 1250), (1000, 1250)], resolution: 0.01).verdict == .different)
    }

    @Test func onePairSaysNothing() throws {
        let pair = try #require(PairedEffect.RunPair(reference: 1, variant: 2))
        #expect(PairedEffect.ofRuns([pair]).reason == "insufficient: 1 pair of runs, under 2")
        #expect(PairedEffect.ofRuns([]).reason == "insufficient: 0 pairs of runs, under 2")
        for bad in [0, -1, Double.nan, .infinity] {
            #expect(PairedEffect.RunPair(reference: bad, variant: 1) == nil)
            #expect(PairedEffect.RunPair(reference: 1, variant: bad) == nil)
        }
    }

    /// Of 200 sessions of one build, with 1 % of noise between runs, at least 184 find nothing; of 200 with 8 % more
    /// at least 180 find it. Four rounds each.
    @Test func replayedSessionsAreToldApart() throws {
        var generator = SeededGenerator(seed: 7)
        // Of mean 1 and standard deviation 1 %: the sum of twelve even numbers.
        func run() -> Double { 1 + 0.01 * ((0..<12).reduce(-6) { sum, _ in sum + generator.unit() }) }
        func session(_ ratio: Double) throws -> PairedEffect {
            try effect((0..<4).map { _ in (run(), ratio * run()) })
        }
        var (quiet, found) = (0, 0)
        for _ in 0..<200 {
            if try session(1).verdict == .noDetectableDifference { quiet += 1 }
            let more = try session(1.08)
            if more.verdict == .different, more.ratio > 1 { found += 1 }
        }
        #expect(quiet >= 184, "\(quiet)")
        #expect(found >= 180, "\(found)")
    }

    @Test func figuresOfRunsAreGeometricMeans() {
        #expect(abs((RunFigures.mean([.known(2), .known(8)]).number ?? 0) - 4) < 1e-12)
        // The slow one may be the one that has no figure.
        let partly = RunFigures.mean([.known(2), .known(8), .unavailable("short run")])
        #expect(partly.reason == "2 of 3 runs have it: short run")
        #expect(RunFigures.mean([.unavailable("short run")]).reason == "short run")
        #expect(RunFigures.mean([]).reason == "no complete run")
        guard case .value(_, .unavailable(let why), _) = RunFigures.mean([.known(3)]) else {
            Issue.record("one run has an interval")
            return
        }
        #expect(why.reason == "one observation")
    }
}
