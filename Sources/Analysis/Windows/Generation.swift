/// One generation put together from its marks, its counts and its token stamps.
struct Generation: Sendable, Hashable {
    let cycle: Int
    let part: Part
    let submit: Instant
    /// Submit to the first token; nil when either mark is missing or they are out of order.
    var prefill: Span?
    /// First token to the last; nil likewise.
    var decode: Span?
    /// What the worker counted; nil when the generation never ended or the counts make no sense.
    var counts: Counts?
    /// One a generated token, ascending; empty when the engine sent none or they do not fit the generation.
    var stamps: [UInt64] = []
    /// End of the cycle: the next submit of the same part, else the last token; nil without a decode.
    var cycleEnd: Instant?

    struct Counts: Sendable, Hashable {
        let prompt: Int
        let generated: Int
        let stop: String
        var decodeSteps: Int { max(0, generated - 1) }
    }

    /// All tokens asked for were generated and every edge is known: its figures count.
    var isWhole: Bool { prefill != nil && decode != nil && counts?.stop == "length" }

    var cycleSpan: Span? {
        cycleEnd.map { Span(begin: submit, end: $0) }
    }

    /// From the last token to the end of the cycle.
    var gap: Span? {
        guard let decode, let cycleEnd, cycleEnd > decode.end else { return nil }
        return Span(begin: decode.end, end: cycleEnd)
    }
}
