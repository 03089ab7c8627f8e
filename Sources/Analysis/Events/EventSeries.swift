/// What was counted between two moments.
struct EventAmount: Sendable, Hashable {
    /// In base units: events, or seconds.
    var count = 0.0
    /// Seconds in which the threads ran, and in which the counter counted: less where counters outnumber the
    /// registers and take turns.
    var enabled = 0.0
    var running = 0.0
    /// How far the count may be off because no read was exactly at an edge.
    var doubt = 0.0
    /// From the edges to their nearest reads, seconds.
    var distance = 0.0

    static func + (left: EventAmount, right: EventAmount) -> EventAmount {
        EventAmount(
            count: left.count + right.count, enabled: left.enabled + right.enabled,
            running: left.running + right.running, doubt: left.doubt + right.doubt,
            distance: left.distance + right.distance)
    }
}

/// One counter of one process over a run.
struct EventSeries: Sendable {
    private struct Reading {
        /// Middle of the read.
        var time: Instant
        var count: Double
        var enabled: Double
        var running: Double
    }

    private var readings: [Reading] = []

    /// - Parameter reads: of the counter and of its two times, each in order of time, from the same ticks.
    init(
        _ line: SourceLine, counts: [(tick: Int, read: CounterRead)],
        enabled: [(tick: Int, read: CounterRead)], running: [(tick: Int, read: CounterRead)]
    ) {
        func byTick(_ reads: [(tick: Int, read: CounterRead)]) -> [Int: Int64] {
            var values: [Int: Int64] = [:]
            for entry in reads { values[entry.tick] = entry.read.value }
            return values
        }
        let (enabled, running) = (byTick(enabled), byTick(running))
        var base: Int64?
        for (tick, read) in counts {
            guard let value = read.value, let on = enabled[tick], let ran = running[tick] else { continue }
            // Differences of whole numbers first: a Double holds 53 bits.
            let from = base ?? value
            base = from
            let (difference, overflow) = value.subtractingReportingOverflow(from)
            guard !overflow else { continue }
            readings.append(
                Reading(
                    time: read.before + Nanoseconds((read.after - read.before).value / 2),
                    count: Double(difference) * line.scale, enabled: Double(on) * 1e-9,
                    running: Double(ran) * 1e-9))
        }
    }

    /// What was counted in a window, by straight lines between the reads about its edges; the reason where
    /// they are not read around.
    func amount(in span: Span) -> Result<EventAmount, Unavailable> {
        guard let begin = edge(at: span.begin), let end = edge(at: span.end) else {
            return .failure(Unavailable("not read at the edge of a window"))
        }
        let amount = EventAmount(
            count: end.count - begin.count, enabled: end.enabled - begin.enabled,
            running: end.running - begin.running, doubt: begin.doubt + end.doubt,
            distance: begin.distance + end.distance)
        guard amount.count >= 0, amount.enabled >= 0, amount.running >= 0 else {
            return .failure(Unavailable("the counter ran backwards"))
        }
        return .success(amount)
    }

    private func edge(at moment: Instant) -> EventAmount? {
        let next = readings.partitioningIndex { $0.time > moment }
        guard next > 0, next < readings.count else {
            guard next > 0, let last = readings.last, last.time == moment else { return nil }
            return EventAmount(count: last.count, enabled: last.enabled, running: last.running)
        }
        let (left, right) = (readings[next - 1], readings[next])
        let length = (right.time - left.time).seconds.value
        let past = (moment - left.time).seconds.value
        let share = length > 0 ? past / length : 0
        func between(_ part: KeyPath<Reading, Double>) -> Double {
            left[keyPath: part] + (right[keyPath: part] - left[keyPath: part]) * share
        }
        let distance = min(past, length - past)
        let count = between(\.count)
        // The pace may change at the edge itself, and the reads beside it show by how much; but a counter
        // never leaves what it showed before and after.
        let pace = max(pace(endingAt: next - 1), pace(endingAt: next), pace(endingAt: next + 1))
        let doubt = min(pace * distance, max(right.count - count, count - left.count))
        return EventAmount(
            count: count, enabled: between(\.enabled), running: between(\.running), doubt: doubt,
            distance: distance)
    }

    /// Counts a second from the read before to the one at an index; 0 where there is none.
    private func pace(endingAt index: Int) -> Double {
        guard index > 0, index < readings.count else { return 0 }
        let seconds = (readings[index].time - readings[index - 1].time).seconds.value
        return seconds > 0 ? max(0, readings[index].count - readings[index - 1].count) / seconds : 0
    }
}
