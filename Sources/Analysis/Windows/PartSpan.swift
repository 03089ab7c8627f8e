/// One stretch between a begin and an end mark: a part of the run, a load or an unload.
struct PartSpan: Sendable, Hashable {
    let part: Part
    let span: Span
    /// False when the end mark is missing and the stretch was closed at the last moment the trace knows of.
    let whole: Bool

    /// Pairs each begin mark with the next end mark of the same part.
    ///
    /// - Parameter lastSeen: where a stretch ends whose end mark is missing.
    /// - Returns: in the order of their begin marks.
    static func pair(
        _ marks: [MarkLine], _ begin: MarkLine.Name, _ end: MarkLine.Name, lastSeen: Instant
    ) -> (spans: [PartSpan], problems: [String]) {
        var spans: [PartSpan] = []
        var problems: [String] = []
        var open: [Part: Instant] = [:]
        var orphans: Set<Part> = []
        for mark in marks where mark.name == begin || mark.name == end {
            let text = "mark \(mark.name.rawValue) of part \(mark.part.rawValue)"
            if mark.name == begin {
                if open[mark.part] == nil {
                    open[mark.part] = mark.time
                } else {
                    problems.append("\(text) came twice without an end between, the first stands")
                }
            } else if let time = open.removeValue(forKey: mark.part) {
                guard time <= mark.time else {
                    problems.append("\(text) is earlier than the begin, the part is not used")
                    continue
                }
                spans.append(PartSpan(part: mark.part, span: Span(begin: time, end: mark.time), whole: true))
            } else {
                orphans.insert(mark.part)
                problems.append("\(text) has no begin")
            }
        }
        // A part comes once a run, and so does what is done in it, but for the loads of ever longer contexts: of
        // several, none can be said to be the right one. And where an end without
        // begin meets a begin without end, lines were lost or moved.
        for (part, found) in Dictionary(grouping: spans, by: \.part).sorted(by: {
            $0.key.rawValue < $1.key.rawValue
        })
        where found.count > 1 && !(part == .deepening && begin != .begin) {
            problems.append("part \(part.rawValue) came \(found.count) times, it is not used")
            spans.removeAll { $0.part == part }
        }
        for (part, time) in open where !orphans.contains(part) {
            spans.append(PartSpan(part: part, span: Span(begin: time, end: lastSeen), whole: false))
        }
        spans.sort { ($0.span.begin, $0.part.rawValue) < ($1.span.begin, $1.part.rawValue) }
        return (spans, problems)
    }
}
