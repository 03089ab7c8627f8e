/// The marks of a trace put together: what happened when.
struct Timeline: Sendable {
    /// The trace's anchor: second 0 of every window.
    let start: Instant
    /// The latest moment the trace knows of.
    let lastSeen: Instant
    /// Stretches the session marked, by begin.
    let parts: [PartSpan]
    /// From load_begin to load_end, as the worker stamped them.
    let loads: [PartSpan]
    let unloads: [PartSpan]
    /// By submit.
    let generations: [Generation]
    /// t = 0 of the sustained part: its mark, else the first submit of the part; nil when it never began.
    let sustainedStart: Instant?
    /// What is wrong with the marks, one sentence each.
    let problems: [String]

    init(_ trace: Trace) {
        start = trace.header.start
        let lastSeen = Self.lastSeen(trace)
        self.lastSeen = lastSeen
        let parts = PartSpan.pair(trace.marks, .begin, .end, lastSeen: lastSeen)
        let loads = PartSpan.pair(trace.marks, .loadBegin, .loadEnd, lastSeen: lastSeen)
        let unloads = PartSpan.pair(trace.marks, .unloadBegin, .unloadEnd, lastSeen: lastSeen)
        let built = GenerationBuilder.build(trace, lastSeen: lastSeen)
        self.parts = parts.spans
        self.loads = loads.spans
        self.unloads = unloads.spans
        generations = built.generations
        sustainedStart =
            trace.marks.first { $0.name == .sustainedStart }?.time
            ?? built.generations.first { $0.part == .sustained }?.submit
        problems =
            Self.shortened(parts.problems + loads.problems + unloads.problems) + built.problems.warnings
    }

    /// Generations of one part, by submit.
    func generations(of part: Part) -> [Generation] { generations.filter { $0.part == part } }

    /// Stretches of one part that have a length.
    func spans(of part: Part) -> [Span] {
        parts.filter { $0.part == part && $0.span.length > Nanoseconds(0) }.map(\.span)
    }

    /// From the first prompt to the last token of each part in which the engine generates, in order of time.
    ///
    /// By the generations, not by marks of the parts: a session may mark no more than where one begins.
    var work: [Span] {
        [Part.fromIdle, .warmup, .sustained, .deepening].compactMap { part in
            let phases = generations(of: part).compactMap { $0.decode ?? $0.prefill }
            guard let first = generations(of: part).first?.submit, let last = phases.map(\.end).max(),
                last > first
            else { return nil }
            return Span(begin: first, end: last)
        }.sorted { $0.begin < $1.begin }
    }

    /// Seconds from the trace's start; negative before it.
    func seconds(_ moment: Instant) -> Double { (moment - start).seconds.value }

    private static func lastSeen(_ trace: Trace) -> Instant {
        var last = trace.end?.time ?? trace.header.start
        for mark in trace.marks { last = max(last, mark.time) }
        for batch in trace.tokens {
            let end = batch.deltas.reduce(batch.start.nanoseconds, &+)
            last = max(last, Instant(nanoseconds: end))
        }
        if let sample = trace.samples.last { last = max(last, sample.time) }
        return last
    }

    private static func shortened(_ problems: [String]) -> [String] {
        let most = 5
        guard problems.count > most else { return problems }
        return problems.prefix(most) + ["\(problems.count - most) more marks do not fit the others"]
    }
}
