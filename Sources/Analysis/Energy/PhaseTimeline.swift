/// What the machine was doing at each moment, by the marks: stretches between marks, each with a label.
///
/// Stretches of one label are taken to draw alike, which is what makes it possible to divide an increment of
/// a counter that a mark cuts in two.
struct PhaseTimeline: Sendable {
    /// Moments at which the label changes, ascending.
    private(set) var edges: [Instant] = []
    /// Label of the stretch before the first edge, between edges, and after the last: one more than edges.
    private(set) var labels: [Int] = [0]
    /// By label: "sustained/decode", "idle_before"; of several streams all phases,
    /// "sustained/decode+prefill".
    private(set) var names: [String] = ["outside"]
    /// By label: an index of `families`, in which the part of the run does not count: "decode".
    private(set) var family: [Int] = [0]
    private(set) var families = 1
    /// Stretches in which the engine computed.
    private(set) var busy: [Span] = []

    private enum Work: String { case load, prefill, decode, unload }

    init(marks: [MarkLine]) {
        let order = marks.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        var part: Part?
        var streams: [Int: Work] = [:]
        var numbers: [String: Int] = ["outside": 0]
        var familyNumbers: [String: Int] = ["outside": 0]
        var busySince: Instant?
        for mark in order.map(\.element) {
            Self.apply(mark, part: &part, streams: &streams)
            let work = streams.values.map(\.rawValue).sorted().joined(separator: "+")
            let computes = streams.values.contains { $0 == .prefill || $0 == .decode }
            if computes, busySince == nil { busySince = mark.time }
            if !computes, let since = busySince {
                busy.append(Span(begin: since, end: mark.time))
                busySince = nil
            }
            let familyName = work.isEmpty ? part?.rawValue ?? "outside" : work
            let name = work.isEmpty ? familyName : "\(part?.rawValue ?? "outside")/\(work)"
            let label = numbers[name] ?? names.count
            if label == names.count {
                let number = familyNumbers[familyName] ?? families
                if number == families { families += 1 }
                familyNumbers[familyName] = number
                numbers[name] = label
                names.append(name)
                family.append(number)
            }
            append(mark.time, label)
        }
    }

    /// Of windows that may overlap: a label is the set of windows that are open, `request+token`.
    init(windows: [NamedSpan]) {
        var changes: [(time: Instant, opens: Bool, name: String)] = []
        for window in windows where window.span.begin < window.span.end {
            changes.append((window.span.begin, true, window.name))
            changes.append((window.span.end, false, window.name))
        }
        changes.sort { $0.time < $1.time }
        var numbers: [String: Int] = ["outside": 0]
        var open: [String] = []
        for (index, change) in changes.enumerated() {
            if change.opens {
                open.append(change.name)
            } else if let position = open.firstIndex(of: change.name) {
                open.remove(at: position)
            }
            if index + 1 < changes.count, changes[index + 1].time == change.time { continue }
            let name = open.isEmpty ? "outside" : open.sorted().joined(separator: "+")
            let label = numbers[name] ?? names.count
            if label == names.count {
                numbers[name] = label
                names.append(name)
                family.append(families)
                families += 1
            }
            append(change.time, label)
        }
    }

    private static func apply(_ mark: MarkLine, part: inout Part?, streams: inout [Int: Work]) {
        let stream = mark.stream ?? 0
        func begin(_ work: Work) {
            // A session need not mark the edges of the parts in which the engine works: its marks name them.
            part = mark.part
            streams[stream] = work
        }
        switch mark.name {
        case .begin:
            part = mark.part
            streams = [:]
        case .end:
            part = nil
            // A generation that was cut off has no last token.
            streams = [:]
        case .submit: begin(.prefill)
        case .firstToken: begin(.decode)
        case .loadBegin: begin(.load)
        case .unloadBegin: begin(.unload)
        case .lastToken, .loadEnd, .unloadEnd: streams[stream] = nil
        case .sustainedStart: break
        }
    }

    private mutating func append(_ edge: Instant, _ label: Int) {
        if edges.last == edge {
            labels[labels.count - 1] = label
        } else if labels.last != label {
            edges.append(edge)
            labels.append(label)
        }
    }

    /// Labels just before and just after a moment.
    func labels(at moment: Instant) -> (before: Int, after: Int) {
        let index = edges.partitioningIndex { $0 >= moment }
        let isEdge = index < edges.count && edges[index] == moment
        return (labels[index], labels[isEdge ? index + 1 : index])
    }
}
