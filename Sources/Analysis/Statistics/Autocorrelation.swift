/// How long a series remembers.
enum Autocorrelation {
    /// The integrated autocorrelation time in observations, 1 for independent ones: n observations are worth
    /// n / time. Summed up to the first lag whose correlation is within the standard error of none.
    ///
    /// - Parameter residuals: with mean 0, a few hundred at most: the cost is their square.
    static func time(_ residuals: [Double]) -> Double {
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
