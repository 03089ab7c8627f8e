/// One figure over several runs of the same group (docs/metrics.md, "Groups").
public enum MedianOfRuns {
    /// Fewer runs say nothing of how much runs differ: what they give is provisional.
    public static let fewest = RepeatFigures.fewestRuns

    /// The standard error of a median is at most this many times that of the mean where the spread is normal:
    /// sqrt(pi / 2), its limit for many values, is above the ratio for any odd number of them.
    private static let medianFactor = 1.253_314_137_315_500_3

    /// The median over the runs; of several submitters the median of their medians, so that nobody counts more
    /// for having run more often.
    ///
    /// - Parameter submitters: the figure of each run of each of them. One run alone keeps its own interval.
    /// - Returns: with a t interval over what the median is taken of, from three on. Unavailable where no run
    ///   has the figure; runs that lack it are told in the method.
    public static func figure(_ submitters: [[Figure]]) -> Figure {
        let all = submitters.joined()
        let known = submitters.map { $0.compactMap(\.number) }.filter { !$0.isEmpty }
        let count = known.reduce(0) { $0 + $1.count }
        let total = all.count
        guard count > 0 else { return all.first ?? .unavailable("no run") }
        if total == 1, let only = all.first { return only }
        let values = known.count == 1 ? known[0] : known.compactMap(middle)
        guard let value = middle(values) else { return .unavailable("no run has it") }
        let share = count < total ? "\(count) of \(total) runs" : "\(count) run\(count == 1 ? "" : "s")"
        let middle = known.count == 1 ? share : "the medians of \(known.count) submitters, \(share)"
        let made = "\(estimator(all)); median of \(middle)"
        guard let half = RepeatFigures.halfWidth(values) else {
            return Figure(
                value, .unavailable(Unavailable("provisional: \(values.count) of \(fewest)")),
                method: made + ", provisional")
        }
        let wide = half * medianFactor
        return Figure(
            value, .bounds(low: value - wide, high: value + wide),
            method: made + ", t interval times sqrt(pi / 2)")
    }

    /// How the runs' own values were made, without how their intervals were.
    private static func estimator(_ figures: some Sequence<Figure>) -> String {
        for case .value(_, _, let method) in figures { return String(method.prefix { $0 != ";" }) }
        return "unknown"
    }

    private static func middle(_ values: [Double]) -> Double? {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return nil }
        return (sorted[last / 2] + sorted[(last + 1) / 2]) / 2
    }
}
