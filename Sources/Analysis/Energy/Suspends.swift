/// When the machine slept: CLOCK_BOOTTIME counts that time and CLOCK_MONOTONIC does not (clock_gettime(2)).
public enum Suspends {
    /// The source whose values are CLOCK_BOOTTIME - CLOCK_MONOTONIC, where the sampler reads it: it tells
    /// when the machine slept. Without it the header and the end line tell only that it did.
    public static let sourceID = "clock:slept"

    /// The two clocks are read one after the other; a real suspend takes longer.
    private static let jitter: Int64 = 10_000_000

    /// The stretches in which the machine slept, each as wide as the observations about it.
    public static func spans(in trace: Trace) -> [Span] {
        spans(observations(in: trace))
    }

    /// The stretches between observations of CLOCK_BOOTTIME - CLOCK_MONOTONIC, in nanoseconds, over which it
    /// grew; in order of time.
    public static func spans(_ seen: [(time: Instant, slept: Int64)]) -> [Span] {
        zip(seen, seen.dropFirst()).compactMap { from, to in
            // The magnitude of the wrapped difference: stamps from outside may be anything.
            (to.1 &- from.1).magnitude > jitter ? Span(begin: from.0, end: to.0) : nil
        }
    }

    /// CLOCK_BOOTTIME - CLOCK_MONOTONIC in nanoseconds at the moments when it was read, in their order.
    static func observations(in trace: Trace) -> [(time: Instant, slept: Int64)] {
        var seen = [(time: trace.header.start, slept: trace.header.sleptNanoseconds)]
        if let source = trace.sources.first(where: { $0.id == sourceID }) {
            for sample in trace.samples {
                for (position, index) in sample.sources.enumerated() where index == source.index {
                    guard let raw = sample.values[position] else { continue }
                    seen.append((sample.time, Nanoseconds(Seconds(Double(raw) * source.scale)).value))
                }
            }
        }
        if let end = trace.end { seen.append((end.time, end.sleptNanoseconds)) }
        return seen
    }
}
