/// How far a ratio of sums over cycles can be off.
enum RatioSpread {
    /// Fewer cycles than this say too little of their own spread for an interval.
    static let fewestCycles = 8

    /// Half the width of the 95 % interval of sum(numerators) / sum(denominators), as a share of it.
    ///
    /// The variance of a ratio estimator (Cochran 1977, "Sampling Techniques", section 6.3) from the residuals
    /// y - R x, with a t factor of n - 1 degrees of freedom. Where all x are equal it is the t interval of the
    /// per-cycle ratios. Cycles are taken as independent.
    ///
    /// - Parameter pairs: one a cycle, (y, x); seconds and tokens.
    static func relativeHalfWidth(_ pairs: [(y: Double, x: Double)]) -> Result<Double, Unavailable> {
        guard pairs.count >= fewestCycles, let factor = StudentT.twoSided95(degreesOfFreedom: pairs.count - 1)
        else { return .failure(Unavailable("fewer than \(fewestCycles) cycles")) }
        let numerator = pairs.reduce(0) { $0 + $1.y }
        let denominator = pairs.reduce(0) { $0 + $1.x }
        guard numerator > 0, denominator > 0 else { return .failure(Unavailable("a sum is 0")) }
        let ratio = numerator / denominator
        let count = Double(pairs.count)
        let squares = pairs.reduce(0) { sum, pair in
            let residual = pair.y - ratio * pair.x
            return sum + residual * residual
        }
        let error = (squares / (count - 1) / count).squareRoot() / (denominator / count)
        return .success(factor * error / ratio)
    }

    /// Bounds of 1 / ratio, or of a quotient of ratios, from a relative half width of the ratio.
    static func interval(around value: Double, _ halfWidth: Result<Double, Unavailable>) -> Interval {
        switch halfWidth {
        case .failure(let why): .unavailable(why)
        case .success(let share) where share < 1:
            .bounds(low: value / (1 + share), high: value / (1 - share))
        case .success: .unavailable(Unavailable("the cycles differ too much for an interval"))
        }
    }
}
