/// How far a ratio of sums over cycles can be off.
enum RatioSpread {
    /// Fewer cycles than this say too little of their own spread for an interval.
    static let fewestCycles = 8

    /// Half the width of the 95 % interval of sum(y) / sum(x), as a share of it: a t interval over blocks of
    /// cycles as long as the cycles' autocorrelation time (`WindowSpread`).
    ///
    /// - Parameter pairs: one a cycle in order of time, (y, x); seconds and tokens.
    static func relativeHalfWidth(_ pairs: [(y: Double, x: Double)]) -> Result<Double, Unavailable> {
        guard pairs.count >= fewestCycles else {
            return .failure(Unavailable("fewer than \(fewestCycles) cycles"))
        }
        let numerator = pairs.reduce(0) { $0 + $1.y }
        let denominator = pairs.reduce(0) { $0 + $1.x }
        guard numerator > 0, denominator > 0 else { return .failure(Unavailable("a sum is 0")) }
        return WindowSpread(values: pairs.map(\.y)).half(per: pairs.map(\.x)).map {
            $0 / (numerator / denominator)
        }
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
