/// How far a ratio of sums over windows can be off because the windows differ.
struct WindowSpread {
    /// Fewer blocks say too little of their own spread.
    private static let fewestBlocks = 8

    /// One a window.
    let values: [Double]

    /// Half the width of the 95 % interval of sum(values) / sum(divisors).
    ///
    /// A t interval over the residuals y - R x (Cochran 1977, "Sampling Techniques", section 6.3). Windows
    /// that resemble their neighbours are no independent observations: they count as blocks as long as the
    /// autocorrelation time, so that n windows are n / time observations.
    func half(per divisors: [Double]) -> Result<Double, Unavailable> {
        let whole = divisors.reduce(0, +)
        guard values.count == divisors.count, whole > 0 else {
            return .failure(Unavailable("nothing to divide by"))
        }
        guard values.count > 1 else { return .failure(Unavailable("one observation")) }
        let ratio = values.reduce(0, +) / whole
        let residuals = zip(values, divisors).map { $0 - ratio * $1 }
        let time = Self.correlationTime(residuals)
        let count = Double(residuals.count)
        let blocks = Int(count / time)
        guard blocks >= Self.fewestBlocks, let factor = StudentT.twoSided95(degreesOfFreedom: blocks - 1)
        else {
            return .failure(
                Unavailable(
                    "insufficient: \(blocks) independent blocks of windows, under \(Self.fewestBlocks)"))
        }
        let variance = residuals.reduce(0) { $0 + $1 * $1 } / (count - 1)
        return .success(factor * (variance * count * time).squareRoot() / whole)
    }

    /// The integrated autocorrelation time in windows, 1 for independent ones: summed up to the first lag
    /// whose correlation is within the standard error of none.
    private static func correlationTime(_ residuals: [Double]) -> Double {
        let variance = residuals.reduce(0) { $0 + $1 * $1 }
        guard variance > 0 else { return 1 }
        let chance = 1 / Double(residuals.count).squareRoot()
        var time = 1.0
        for lag in 1..<max(2, residuals.count / 4) {
            let products = zip(residuals, residuals.dropFirst(lag)).reduce(0) { $0 + $1.0 * $1.1 }
            let correlation = products / variance
            guard correlation > chance else { break }
            time += 2 * correlation
        }
        return time
    }
}
