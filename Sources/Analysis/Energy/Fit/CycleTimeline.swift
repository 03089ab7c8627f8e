/// The phases of the sustained part, cycle by cycle, on a clock of their own: seconds since the part began.
struct CycleTimeline: Sendable {
    let origin: Instant
    /// End of the part.
    let end: Double
    /// Begin of each stretch of one phase; the first is 0.
    private(set) var begins: [Double] = []
    /// The phase of each stretch: an index of `names`.
    private(set) var columns: [Int] = []
    /// "prefill", "decode", "gap"; of several streams "decode+prefill".
    private(set) var names: [String] = []
    /// When each cycle after the first begins: its submit.
    private(set) var cycleBegins: [Double] = []

    /// The name of the time between generations.
    static let gap = "gap"
    /// Fewer cycles say too little of their own spread.
    static let fewestCycles = MovingBlocks.fewest

    /// Nil where the run has no sustained part.
    init?(_ timeline: PhaseTimeline) {
        let part = Part.sustained.rawValue
        let isInside = timeline.names.map { $0 == part || $0.hasPrefix(part + "/") }
        guard let first = timeline.labels.firstIndex(where: { isInside[$0] }), first > 0 else { return nil }
        let after = timeline.labels[first...].firstIndex { !isInside[$0] } ?? timeline.labels.count
        // Without an end mark the last stretch is open: the cycles end with its begin.
        let last = min(after - 1, timeline.edges.count - 1)
        guard last >= first else { return nil }
        origin = timeline.edges[first - 1]
        end = (timeline.edges[last] - origin).seconds.value
        var columnOfLabel: [Int: Int] = [:]
        var hasWorked = false
        for index in first...last {
            let label = timeline.labels[index]
            let name = timeline.names[label].dropFirst(part.count + 1)
            if columnOfLabel[label] == nil {
                columnOfLabel[label] = names.count
                names.append(name.isEmpty ? Self.gap : String(name))
            }
            let begin = (timeline.edges[index - 1] - origin).seconds.value
            let startsCycle = name.contains("prefill") && !(names[columns.last ?? 0].contains("prefill"))
            // From the part's begin to its first prompt there is no cycle.
            if hasWorked, startsCycle { cycleBegins.append(begin) }
            if !name.isEmpty { hasWorked = true }
            begins.append(begin)
            columns.append(columnOfLabel[label] ?? 0)
        }
    }

    var cycles: Int { cycleBegins.count + 1 }
    func seconds(_ moment: Instant) -> Double { (moment - origin).seconds.value }

    /// The cycle that a moment lies in; the first and the last reach to the ends of the part.
    func cycle(at time: Double) -> Int { cycleBegins.partitioningIndex { $0 > time } }

    /// Length of a cycle in the middle of their order.
    var typicalCycle: Double {
        let lengths = zip(cycleBegins, cycleBegins.dropFirst()).map { $1 - $0 }.sorted()
        return lengths.isEmpty ? end : lengths[lengths.count / 2]
    }

    /// The typical length of the shortest phase of work; infinite without one.
    var shortestPhase: Double {
        var lengths = names.map { _ in [Double]() }
        for index in begins.indices { lengths[columns[index]].append(stretchEnd(index) - begins[index]) }
        return zip(names, lengths).reduce(.infinity) { shortest, phase in
            guard phase.0 != Self.gap, !phase.1.isEmpty else { return shortest }
            return min(shortest, phase.1.sorted()[phase.1.count / 2])
        }
    }

    private func stretchEnd(_ index: Int) -> Double { index + 1 < begins.count ? begins[index + 1] : end }

    /// Seconds of each phase from the part's begin up to each of the times, flat: time by time, phase by
    /// phase.
    ///
    /// - Parameter times: ascending, within the part.
    func elapsed(at times: [Double]) -> [Double] {
        let width = names.count
        var result = [Double](repeating: 0, count: times.count * width)
        var gathered = [Double](repeating: 0, count: width)
        var stretch = 0
        for (position, time) in times.enumerated() {
            while stretch + 1 < begins.count, begins[stretch + 1] <= time {
                gathered[columns[stretch]] += begins[stretch + 1] - begins[stretch]
                stretch += 1
            }
            for column in 0..<width { result[position * width + column] = gathered[column] }
            result[position * width + columns[stretch]] += max(0, time - begins[stretch])
        }
        return result
    }

    /// Seconds of each phase in each cycle, flat: cycle by cycle, phase by phase.
    var secondsByCycle: [Double] {
        let width = names.count
        let elapsed = elapsed(at: [0] + cycleBegins + [end])
        return (0..<cycles * width).map { elapsed[$0 + width] - elapsed[$0] }
    }

    /// Seconds of each phase within each span, flat as in `elapsed`; nil where one lies outside the part.
    ///
    /// - Parameter spans: in order, not overlapping.
    func seconds(in spans: [Span]) -> [Double]? {
        let width = names.count
        var times: [Double] = []
        for span in spans {
            let (begin, end) = (seconds(span.begin), seconds(span.end))
            guard begin >= (times.last ?? 0), end <= self.end else { return nil }
            times += [begin, end]
        }
        let elapsed = elapsed(at: times)
        return (0..<spans.count * width).map { index in
            let (span, column) = (index / width, index % width)
            return elapsed[(2 * span + 1) * width + column] - elapsed[2 * span * width + column]
        }
    }
}
