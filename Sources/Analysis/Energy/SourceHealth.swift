/// What the data say of a source, beyond what the probe could see at the start.
public struct SourceHealth: Sendable, Hashable {
    public var status: SourceLine.Status
    /// Why, when the status is not `ok`.
    public var reason: String?
    /// The stretches in which a `frozen` counter stood still.
    public var frozen: [Span]

    public init(_ status: SourceLine.Status, reason: String? = nil, frozen: [Span] = []) {
        self.status = status
        self.reason = reason
        self.frozen = frozen
    }
}

/// Judgements over whole series: `dead`, `frozen`, `mirrored`.
public enum SourceJudge {
    /// So long, and in so many reads, a counter must have stood still before it is called dead.
    private static let deadSeconds = 2.0
    private static let deadReads = 20
    /// A frozen counter has missed so many of its updates.
    private static let frozenPeriods = 20.0
    /// So many movements of others show that the machine was at work meanwhile.
    private static let othersMovements = 5

    /// Whether a counter never moved although it should have: RAPL zones and boards never idle at 0 W. A
    /// GPU's counter is judged only by the time in which the engine worked.
    ///
    /// - Parameter loaded: stretches in which the engine computed.
    public static func isDead(_ series: CounterSeries, loaded: [Span]) -> Bool {
        guard !series.everMoved, series.voids.isEmpty, series.goodReads >= deadReads else { return false }
        guard let watched = watched(series) else { return false }
        guard series.traits.domain.hasPrefix("gpu") else { return watched.seconds >= deadSeconds }
        let seconds = loaded.reduce(0.0) { sum, span in
            let begin = max(span.begin, watched.begin)
            let end = min(span.end, watched.end)
            return end > begin ? sum + (end - begin).seconds.value : sum
        }
        return seconds >= deadSeconds
    }

    /// Whether a counter was read for long enough to judge one that never moved.
    static func hasWatched(_ series: CounterSeries) -> Bool {
        series.goodReads >= deadReads && (watched(series)?.seconds ?? 0) >= deadSeconds
    }

    private static func watched(_ series: CounterSeries) -> Span? {
        guard let first = series.firstRead, let last = series.lastConfirmed else { return nil }
        return Span(begin: first, end: last)
    }

    /// The stretches in which a counter was read, stood still for more than 20 of its update periods, and
    /// others moved.
    public static func frozen(_ series: CounterSeries, others: [CounterSeries]) -> [Span] {
        guard series.everMoved, let period = series.period, let confirmed = series.lastConfirmed else {
            return []
        }
        // A counter with coarse steps moves seldom at low power: the slower of its usual times counts.
        let times = zip(series.movements, series.movements.dropFirst()).map {
            ($1.shown - $0.shown).seconds.value
        }
        let slow = times.sorted()[min(times.count - 1, times.count * 9 / 10)]
        let limit = frozenPeriods * max(period.upper, times.count >= 20 ? slow : 0)
        var result: [Span] = []
        for (index, movement) in series.movements.enumerated() {
            let isLast = index + 1 == series.movements.count
            let end = isLast ? confirmed : series.movements[index + 1].earliest
            guard (end - movement.latest).seconds.value > limit else { continue }
            let still = Span(begin: movement.latest, end: end)
            guard others.contains(where: { movements(of: $0, in: still) >= othersMovements }) else {
                continue
            }
            result.append(
                Span(begin: movement.earliest, end: isLast ? end : series.movements[index + 1].latest))
        }
        return result
    }

    private static func movements(of series: CounterSeries, in span: Span) -> Int {
        let from = series.movements.partitioningIndex { $0.earliest >= span.begin }
        let to = series.movements.partitioningIndex { $0.latest > span.end }
        return max(0, to - from)
    }
}
