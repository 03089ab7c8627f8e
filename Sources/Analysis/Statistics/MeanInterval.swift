/// Mean of independent numbers with the half width of its 95 % interval.
struct MeanInterval {
    let mean: Double
    /// Standard error of the mean.
    let error: Double
    let half: Double

    /// Nil for fewer than two numbers.
    init?(_ values: [Double]) {
        guard let mean = Moments.mean(values), let variance = Moments.variance(values),
            let t = StudentT.twoSided95(degreesOfFreedom: values.count - 1)
        else { return nil }
        self.mean = mean
        error = (variance / Double(values.count)).squareRoot()
        half = t * error
    }

    /// Bounds of a geometric mean, where the numbers are logarithms.
    var exponential: Interval {
        .bounds(low: (mean - half).exponential, high: (mean + half).exponential)
    }
}
