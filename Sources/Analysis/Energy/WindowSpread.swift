/// How far a ratio of sums over windows can be off because the windows differ.
struct WindowSpread {
    /// One a window.
    let values: [Double]

    /// Half the width of the 95 % interval of sum(values) / sum(divisors).
    ///
    /// A t interval over the residuals y - R x (Cochran 1977, "Sampling Techniques", section 6.3), taken in
    /// moving blocks as long as their autocorrelation time: windows that resemble their neighbours are no
    /// independent observations.
    func half(per divisors: [Double]) -> Result<Double, Unavailable> {
        let whole = divisors.reduce(0, +)
        guard values.count == divisors.count, whole > 0 else {
            return .failure(Unavailable("nothing to divide by"))
        }
        guard values.count > 1 else { return .failure(Unavailable("one observation")) }
        let ratio = values.reduce(0, +) / whole
        let residuals = zip(values, divisors).map { $0 - ratio * $1 }
        let blocks = MovingBlocks(residuals)
        return blocks.factor.map { $0 * blocks.standardError(ofSum: residuals) / whole }
    }
}
