import Analysis

/// What many runs of one scenario came to.
public struct Replays: Sendable {
    /// One figure over all runs, against the truth of each.
    public struct Tally: Sendable {
        public private(set) var ratios: [Double] = []
        public private(set) var held = 0
        public private(set) var withInterval = 0
        public private(set) var meanWidth = 0.0
        public private(set) var refusals: [String] = []

        mutating func add(_ figure: Figure, truth: Double) {
            guard case .value(let value, let interval, _) = figure else {
                refusals.append(figure.reason ?? "")
                return
            }
            ratios.append(value / truth)
            guard case .bounds(let low, let high) = interval else { return }
            withInterval += 1
            if low <= truth, truth <= high { held += 1 }
            meanWidth += ((high - low) / truth - meanWidth) / Double(withInterval)
        }

        /// The largest deviation from the truth, as a share.
        public var worst: Double { ratios.reduce(0) { max($0, abs($1 - 1)) } }

        public var mean: Double { ratios.reduce(0, +) / Double(max(1, ratios.count)) }

        /// From the 2.5th to the 97.5th percentile of value / truth.
        public var empiricalRange: Double {
            let sorted = ratios.sorted()
            func quantile(_ share: Double) -> Double {
                let rank = share * Double(sorted.count - 1)
                let lower = Int(rank)
                let upper = min(lower + 1, sorted.count - 1)
                return sorted[lower] + (sorted[upper] - sorted[lower]) * (rank - Double(lower))
            }
            return sorted.count > 1 ? quantile(0.975) - quantile(0.025) : 0
        }
    }

    public private(set) var tallies: [String: Tally] = [:]

    /// - Parameter seeds: one a run; the same seeds give the same runs.
    public init(_ scenario: Scenario, seeds: Range<UInt64>) {
        for seed in seeds {
            for (name, figure, truth) in Self.figures(scenario, seed: seed) {
                tallies[name, default: Tally()].add(figure, truth: truth)
            }
        }
    }

    /// One run's joules a token, gross and net, with what they would be without noise.
    public static func figures(
        _ scenario: Scenario, seed: UInt64
    ) -> [(name: String, figure: Figure, truth: Double)] {
        let run = SimulatedTrace(scenario, seed: seed)
        let metrics = Analyze.record(from: run.trace).metrics
        return [
            ("decode", metrics.decode.gross.joulesPerToken, run.decodePerToken),
            ("prefill", metrics.prefill.gross.joulesPerToken, run.prefillPerToken),
            ("decode_net", metrics.decode.net.joulesPerToken, run.decodeNetPerToken),
            ("prefill_net", metrics.prefill.net.joulesPerToken, run.prefillNetPerToken),
        ]
    }
}
