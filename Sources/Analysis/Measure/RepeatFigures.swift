/// The energy of one run of a command out of the energy of all its runs.
struct RepeatFigures {
    let joules: Figure
    let watts: Figure

    /// Fewer runs say nothing of how much runs differ.
    static let fewestRuns = 3

    /// Means over the runs. Their interval combines the bounds of the sum (counter, edges, idle baseline) and,
    /// from three runs on, a t interval over the runs, in quadrature.
    ///
    /// - Parameter spans: the runs, which `energy.windows` follows.
    init(_ energy: EnergyEstimate, _ spans: [Span]) {
        let count = spans.count
        let lengths = spans.map(\.seconds)
        let seconds = lengths.reduce(0, +)
        let mean = energy.divided(by: Double(max(1, count)))
        guard count >= Self.fewestRuns, energy.windows.count == count, seconds > 0 else {
            let method =
                count > 1
                ? "\(energy.method); provisional: \(count) runs, their spread is not in it" : energy.method
            var named = mean
            named.method = method
            joules = named.figure()
            named = energy
            named.method = method
            watts = named.figure(per: seconds)
            return
        }
        let power = energy.joules / seconds
        let method = "\(energy.method); t interval over \(count) runs in quadrature"
        joules = Self.widened(
            mean, by: Self.halfWidth(energy.windows), per: 1, method: method)
        let residuals = zip(energy.windows, lengths).map { $0 - power * $1 }
        watts = Self.widened(
            mean, by: Self.halfWidth(residuals), per: seconds / Double(count), method: method)
    }

    /// 95 % half width of a mean; nil for fewer than three values.
    static func halfWidth(_ values: [Double]) -> Double? {
        guard values.count >= fewestRuns, let variance = Moments.variance(values),
            let factor = StudentT.twoSided95(degreesOfFreedom: values.count - 1)
        else { return nil }
        return factor * (variance / Double(values.count)).squareRoot()
    }

    private static func widened(
        _ mean: EnergyEstimate, by spread: Double?, per divisor: Double, method: String
    ) -> Figure {
        let spread = spread ?? 0
        func wide(_ part: Double) -> Double { (part * part + spread * spread).squareRoot() }
        let low = mean.joules - wide(mean.joules - mean.low)
        let high = mean.joules + wide(mean.high - mean.joules)
        return Figure(
            mean.joules / divisor, .bounds(low: low / divisor, high: high / divisor), method: method)
    }

    /// The mean length of a run.
    static func elapsed(_ spans: [Span]) -> Figure {
        let lengths = spans.map(\.seconds)
        guard let mean = Moments.mean(lengths) else { return .unavailable("no run") }
        guard let half = halfWidth(lengths) else {
            return lengths.count == 1
                ? .once(mean, method: "one run")
                : Figure(
                    mean, .unavailable(Unavailable("provisional: \(lengths.count) runs")),
                    method: "mean of the runs")
        }
        return Figure(
            mean, .bounds(low: mean - half, high: mean + half),
            method: "mean of the runs; t interval over \(lengths.count) runs")
    }
}
