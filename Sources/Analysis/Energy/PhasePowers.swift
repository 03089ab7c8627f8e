/// What the timeline says of the time between two movements of a counter.
struct Increments: Sendable {
    /// Energy and time of each increment; the first movement has none.
    private(set) var joules: [Double] = [0]
    private(set) var seconds: [Double] = [0]
    private(set) var isVoid: [Bool] = [true]
    /// The labels it spans, in order, with the time spent in each: those of increment i from `starts[i]` up
    /// to `starts[i + 1]`.
    private(set) var starts: [Int] = [0, 0]
    private(set) var labels: [Int] = []
    private(set) var durations: [Double] = []

    /// - Parameters:
    ///   - moments: when each movement's value was set, seconds, ascending.
    ///   - totals: the energy then, joules.
    ///   - edges: the timeline's edges on the same clock.
    init(moments: [Double], totals: [Double], afterVoid: [Bool], edges: [Double], labels stretches: [Int]) {
        var edge = 0
        for index in moments.indices.dropFirst() {
            var from = moments[index - 1]
            while edge < edges.count, edges[edge] <= from { edge += 1 }
            while edge < edges.count, edges[edge] < moments[index] {
                labels.append(stretches[edge])
                durations.append(edges[edge] - from)
                from = edges[edge]
                edge += 1
            }
            labels.append(stretches[edge])
            durations.append(moments[index] - from)
            starts.append(labels.count)
            joules.append(totals[index] - totals[index - 1])
            seconds.append(moments[index] - moments[index - 1])
            isVoid.append(afterVoid[index])
        }
    }

    var count: Int { joules.count }
    func pieces(of index: Int) -> Range<Int> { starts[index]..<starts[index + 1] }
}

/// The power of one source by label of the timeline.
///
/// First from the movements that surely lie inside a stretch. A label without any, because its stretches are
/// short, gets what is left of the increments it shares with labels that are known.
struct PhasePowers: Sendable {
    struct Power: Sendable {
        var watts: Double
        /// How far the power at one edge may be from `watts`, as a share of it, 95 %.
        var spread: Double
    }

    private var byLabel: [Power?]
    /// The highest power of any label, watts: what an unknown one may draw.
    private(set) var highest = 0.0

    /// A phase is never taken to be more even than this: what it draws beside its edge is not its mean.
    private static let leastSpread = 0.05
    /// An increment tells of a label that fills at least this share of its time.
    private static let tellingShare = 0.25

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
    init(timeline: PhaseTimeline, chains: [(joules: Double, seconds: Double)?], increments: Increments) {
        var labels = [Tally](repeating: Tally(), count: timeline.names.count)
        var families = [Tally](repeating: Tally(), count: timeline.families)
        for (label, chain) in zip(timeline.labels, chains) {
            guard let chain, chain.seconds > 0 else { continue }
            labels[label].add(joules: chain.joules, seconds: chain.seconds)
            families[timeline.family[label]].add(joules: chain.joules, seconds: chain.seconds)
        }
        byLabel = labels.indices.map { labels[$0].power ?? families[timeline.family[$0]].power }
        fillFromRemainders(increments)
        highest = byLabel.reduce(0) { max($0, $1?.watts ?? 0) }
    }

    private mutating func fillFromRemainders(_ increments: Increments) {
        guard byLabel.contains(where: { $0 == nil }) else { return }
        var tallies = [Tally](repeating: Tally(), count: byLabel.count)
        for index in 1..<max(1, increments.count) where !increments.isVoid[index] {
            let pieces = increments.pieces(of: index)
            guard pieces.contains(where: { byLabel[increments.labels[$0]] == nil }) else { continue }
            var left = increments.joules[index]
            var unknown = 0.0
            for piece in pieces {
                let duration = increments.durations[piece]
                if let power = byLabel[increments.labels[piece]] {
                    left -= power.watts * duration
                } else {
                    unknown += duration
                }
            }
            for piece in pieces where byLabel[increments.labels[piece]] == nil {
                let duration = increments.durations[piece]
                guard duration >= Self.tellingShare * increments.seconds[index] else { continue }
                tallies[increments.labels[piece]].add(joules: left * duration / unknown, seconds: duration)
            }
        }
        for label in byLabel.indices where byLabel[label] == nil { byLabel[label] = tallies[label].power }
    }

    /// Nil where nothing tells the label's power.
    func power(of label: Int) -> Power? { byLabel[label] }
}
