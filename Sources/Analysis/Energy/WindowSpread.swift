/// How far a ratio of sums over windows can be off because the windows differ.
struct WindowSpread {
    /// Fewer blocks say too little of their own spread.
    private static let fewestBlocks = 8

    /// One a window.
    let values: [Double]

    /// Half the width of the 95 % interval of sum(values) / sum(divisors).
    ///
    /// Windows that resemble their neighbours are no independent observations: they are joined into blocks as
    /// long as the autocorrelation time, and a t interval is formed over the residuals y - R x of the blocks
    /// (Cochran 1977, "Sampling Techniques", section 6.3).
    func half(per divisors: [Double]) -> Result<Double, Unavailable> {
        let whole = divisors.reduce(0, +)
        guard values.count == divisors.count, whole > 0 else {
            return .failure(Unavailable("nothing to divide by"))
        }
        guard values.count > 1 else { return .failure(Unavailable("one observation")) }
        let ratio = values.reduce(0, +) / whole
        let residuals = zip(values, divisors).map { $0 - ratio * $1 }
        let length = Self.correlationLength(residuals)
        let count = residuals.count / length
        guard count >= Self.fewestBlocks, let factor = StudentT.twoSided95(degreesOfFreedom: count - 1) else {
            return .failure(
                Unavailable(
                    "insufficient: \(count) independent blocks of windows, under \(Self.fewestBlocks)"))
        }
        // The windows that fill no block belong to the last.
        let squares = (0..<count).reduce(0.0) { sum, block in
            let end = block == count - 1 ? residuals.count : (block + 1) * length
            let part = residuals[(block * length)..<end].reduce(0, +)
            return sum + part * part
        }
        return .success(factor * (squares / Double(count - 1) * Double(count)).squareRoot() / whole)
    }

    /// The integrated autocorrelation time, in windows: 1 for independent ones. Summed up to the first lag
    /// whose correlation is within what chance gives.
    private static func correlationLength(_ residuals: [Double]) -> Int {
        let count = residuals.count
        let variance = residuals.reduce(0) { $0 + $1 * $1 }
        guard variance > 0 else { return 1 }
        let chance = 2 / Double(count).squareRoot()
        var time = 1.0
        for lag in 1..<max(2, count / 4) {
            let products = zip(residuals, residuals.dropFirst(lag)).reduce(0) { $0 + $1.0 * $1.1 }
            let correlation = products / variance
            guard correlation > chance else { break }
            time += 2 * correlation
        }
        return min(count, Int(time.rounded(.up)))
    }
}
