/// Observations of CLOCK_BOOTTIME - CLOCK_MONOTONIC over any length of time: two for each stretch without a
/// suspend are kept.
public struct SleepLog: Sendable, Hashable {
    private struct Observation: Sendable, Hashable {
        var time: Instant
        var slept: Int64
    }

    private var observations: [Observation] = []

    public init() {}

    /// - Parameter slept: nanoseconds.
    public mutating func note(slept: Int64, at time: Instant) {
        guard let last = observations.last else {
            observations.append(Observation(time: time, slept: slept))
            return
        }
        let isAwake = Suspends.spans([(last.time, last.slept), (time, slept)]).isEmpty
        let count = observations.count
        if isAwake, count > 1, observations[count - 2].slept == last.slept {
            observations[count - 1].time = time
        } else {
            // The two clocks cannot be read at once: what differs by that is the same.
            observations.append(Observation(time: time, slept: isAwake ? last.slept : slept))
        }
    }

    /// The stretches in which the machine slept.
    public var spans: [Span] { Suspends.spans(observations.map { ($0.time, $0.slept) }) }
}
