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
                problems.append("\(text) has no begin")
            }
        }
        for (part, time) in open {
            spans.append(PartSpan(part: part, span: Span(begin: time, end: lastSeen), whole: false))
        }
        spans.sort { ($0.span.begin, $0.part.rawValue) < ($1.span.begin, $1.part.rawValue) }
        return (spans, problems)
    }
}
