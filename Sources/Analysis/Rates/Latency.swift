/// Distributions of times over the whole cycles.
enum Latency {
    /// - Parameters:
    ///   - nanoseconds: the observations, in any order.
    ///   - missing: why there are none, when there are none.
    static func distribution(_ nanoseconds: consuming [Int64], missing: String) -> Distribution {
        let none = Figure.unavailable(missing)
        guard !nanoseconds.isEmpty else {
            return Distribution(count: 0, p50: none, p90: none, p99: none, max: none)
        }
        // In place: of two million tokens a copy would be the largest thing in memory.
        var sorted = nanoseconds
        sorted.sort()
        return Distribution(
            count: sorted.count, p50: quantile(0.5, of: sorted, fewest: 1),
            p90: quantile(0.9, of: sorted, fewest: 10), p99: quantile(0.99, of: sorted, fewest: 100),
            max: sorted.last.map { Figure(Double($0) / 1e9, interval, method: "largest") } ?? none)
    }

    private static let interval = Interval.unavailable(Unavailable("quantiles are given without an interval"))

    /// - Parameter fewest: as many observations as let one be expected beyond the quantile.
    private static func quantile(_ probability: Double, of sorted: [Int64], fewest: Int) -> Figure {
        guard sorted.count >= fewest, let value = Quantile.of(sorted, probability: probability) else {
            return .unavailable("fewer than \(fewest) observations")
        }
        return Figure(value / 1e9, interval, method: Quantile.method)
    }
}

extension SustainedPart {
    /// Submit to first token of the whole cycles.
    var timeToFirstToken: Distribution {
        Latency.distribution(
            whole.compactMap { generations[$0].prefill?.length.value }, missing: "no whole cycle")
    }

    /// From token to token over the whole cycles that have stamps.
    var interTokenLatency: Distribution {
        Latency.distribution(
            stepLengths, missing: whole.isEmpty ? "no whole cycle" : "no token stamps over a decode step")
    }

    /// Nanoseconds of every decode step of the whole cycles that have stamps.
    var stepLengths: [Int64] {
        var lengths: [Int64] = []
        for index in whole where !generations[index].stamps.isEmpty {
            if let range = steps.entries[index] { lengths += steps.lengths(entries: range) }
        }
        return lengths
    }
}
