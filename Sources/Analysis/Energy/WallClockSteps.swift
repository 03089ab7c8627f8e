/// When the wall clock was set during a run. No figure uses that clock; what does is named.
///
/// CLOCK_REALTIME - CLOCK_MONOTONIC changes by what the clock is set, and by the time that the machine sleeps, which
/// CLOCK_BOOTTIME - CLOCK_MONOTONIC tells alone: the rest is the setting.
public enum WallClockSteps {
    /// The source whose values are CLOCK_REALTIME - CLOCK_MONOTONIC.
    public static let sourceID = "clock:wall"

    /// Two clocks are read one after the other, by a thread that may be held up between. What sets a clock and is
    /// smaller slews it instead (ntpd: 128 ms).
    private static let least: Int64 = 50_000_000

    struct Step: Sendable, Hashable {
        /// When it was seen: within a second after it.
        var time: Instant
        /// Forward, nanoseconds; negative for back.
        var nanoseconds: Int64
    }

    static func steps(in trace: Trace) -> [Step] {
        guard let wall = index(sourceID, trace) else { return [] }
        let slept = index(Suspends.sourceID, trace)
        var steps: [Step] = []
        var sleptNow = trace.header.sleptNanoseconds
        var last: (wall: Int64, slept: Int64)?
        for sample in trace.samples {
            var seen: Int64?
            for (index, value) in zip(sample.sources, sample.values) {
                guard let value else { continue }
                if index == wall { seen = value }
                if index == slept { sleptNow = value }
            }
            guard let seen else { continue }
            if let last {
                // Wrapping: a trace from outside may hold any number.
                let step = (seen &- last.wall) &- (sleptNow &- last.slept)
                if step.magnitude > least { steps.append(Step(time: sample.time, nanoseconds: step)) }
            }
            last = (seen, sleptNow)
        }
        return steps
    }

    /// Raw values are nanoseconds: of any other scale nothing is said.
    private static func index(_ id: String, _ trace: Trace) -> Int? {
        trace.sources.first { $0.id == id && $0.scale == 1e-9 }?.index
    }

    /// One sentence for all steps; nil where there were none.
    static func warning(in trace: Trace) -> String? {
        let steps = steps(in: trace)
        guard let first = steps.first else { return nil }
        func words(_ step: Step) -> String {
            let seconds = Nanoseconds(step.nanoseconds).seconds.value
            let way = seconds < 0 ? "back" : "forward"
            return
                "\(way) by \(abs(seconds).inTenths) s \((step.time - trace.header.start).seconds.value.inTenths) s "
                + "after the start"
        }
        let more = steps.count > 1 ? " and \(steps.count - 1) more times" : ""
        return
            "the wall clock was set \(words(first))\(more): no figure uses it, but a log that is imported by its "
            + "times does"
    }
}
