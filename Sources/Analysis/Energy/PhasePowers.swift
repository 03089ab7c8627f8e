/// The power of one source by label of the timeline, from the movements that lie wholly inside a stretch.
struct PhasePowers: Sendable {
    struct Power: Sendable {
        var watts: Double
        /// How far the power at one edge may be from `watts`, as a share of it, 95 %.
        var spread: Double
    }

    private let byLabel: [Power?]

    /// A phase is never taken to be more even than this: what it draws beside its edge is not its mean.
    private static let leastSpread = 0.05
    private static let unknownSpread = 2.0

    /// Sums over stretches of one label, or of one family.
    private struct Tally {
        var joules = 0.0
        var seconds = 0.0
        var squares = 0.0
        var count = 0

        mutating func add(joules more: Double, seconds time: Double) {
            joules += more
            seconds += time
            squares += more * more / time
            count += 1
        }

        var power: Power? {
            guard seconds > 0, joules > 0 else { return nil }
            let mean = joules / seconds
            let variance = max(0, squares / seconds - mean * mean)
            let spread = count > 1 ? 1.96 * variance.squareRoot() / mean : leastSpread
            return Power(watts: mean, spread: max(leastSpread, spread))
        }
    }

    /// - Parameter chains: for each stretch of the timeline, energy and time between the first and the last
    ///   movement that surely lie inside it; nil where there are none.
    init(timeline: PhaseTimeline, chains: [(joules: Double, seconds: Double)?]) {
        var labels = [Tally](repeating: Tally(), count: timeline.names.count)
        var families = [Tally](repeating: Tally(), count: timeline.families)
        for (label, chain) in zip(timeline.labels, chains) {
            guard let chain, chain.seconds > 0 else { continue }
            labels[label].add(joules: chain.joules, seconds: chain.seconds)
            families[timeline.family[label]].add(joules: chain.joules, seconds: chain.seconds)
        }
        byLabel = labels.indices.map { labels[$0].power ?? families[timeline.family[$0]].power }
    }

    /// Nil where no stretch of the label, nor of its family, was long enough to see its power.
    func power(of label: Int) -> Power? { byLabel[label] }

    /// How uncertain the ratio of two powers is, as a share.
    func spread(of first: Int, _ second: Int) -> Double {
        guard let first = byLabel[first], let second = byLabel[second] else { return Self.unknownSpread }
        return (first.spread * first.spread + second.spread * second.spread).squareRoot()
    }
}
