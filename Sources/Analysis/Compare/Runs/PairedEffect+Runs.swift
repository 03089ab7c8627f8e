extension PairedEffect {
    /// One run of the reference and one of a variant, of the same round: two figures above 0.
    struct RunPair: Hashable {
        let reference: Double
        let variant: Double

        /// Nil unless both are positive and finite.
        init?(reference: Double, variant: Double) {
            guard reference > 0, variant > 0, reference.isFinite, variant.isFinite else { return nil }
            self.reference = reference
            self.variant = variant
        }
    }

    /// One pair says nothing of its spread.
    public static let fewestPairs = 2

    /// How a variant's figure differs from the reference's, over rounds of whole runs.
    ///
    /// The interval is a t interval over the pairs' log ratios. The floor is made of each arm's own runs: half the
    /// width of the 95 % interval that two sets of so many runs have whose pairing is not used. An effect must pass
    /// both: a pairing that happens to agree is no proof where each build by itself varies by more.
    ///
    /// - Parameters:
    ///   - pairs: in order of time; the order within them is turned round from one to the next.
    ///   - resolution: a share below which two runs of one build are known to differ; the least floor.
    static func ofRuns(_ pairs: [RunPair], resolution: Double = 0) -> Result<PairedEffect, Unavailable> {
        guard pairs.count >= fewestPairs else {
            return .failure(
                Unavailable(
                    "insufficient: \(pairs.count) pair\(pairs.count == 1 ? "" : "s") of runs, under \(fewestPairs)"
                ))
        }
        let arms = (pairs.map(\.reference.logarithm), pairs.map(\.variant.logarithm))
        guard let effect = MeanInterval(zip(arms.0, arms.1).map { $1 - $0 }),
            let spread = Moments.variance(arms.0), let other = Moments.variance(arms.1),
            let t = StudentT.twoSided95(degreesOfFreedom: 2 * (pairs.count - 1)),
            let margin = StudentT.oneSided80(degreesOfFreedom: pairs.count - 1)
        else { return .failure(Unavailable("insufficient: too few pairs for an interval")) }
        let apart = t * ((spread + other) / Double(pairs.count)).squareRoot()
        let floor = max(apart, (1 + resolution).logarithm)
        let detectable = max(effect.half, floor) + margin * effect.error
        return .success(
            PairedEffect(
                ratio: effect.mean.exponential, low: (effect.mean - effect.half).exponential,
                high: (effect.mean + effect.half).exponential, floor: floor.exponential - 1,
                minimumDetectable: detectable.exponential - 1, quads: pairs.count,
                method: "t interval over the log ratios of \(pairs.count) pairs of runs"))
    }
}
