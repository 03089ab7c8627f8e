/// A stretch of CLOCK_MONOTONIC between two moments; both edges belong to it.
public struct Span: Sendable, Hashable {
    public let begin: Instant
    public let end: Instant

    /// - Parameter end: held at `begin` when it is earlier, so that no span has a negative length; who reads
    ///   stamps from outside checks their order first and says what was wrong.
    public init(begin: Instant, end: Instant) {
        self.begin = begin
        self.end = max(begin, end)
    }

    public var length: Nanoseconds {
        Nanoseconds(Int64(clamping: end.nanoseconds - begin.nanoseconds))
    }

    public var seconds: Double { length.seconds.value }

    public func contains(_ moment: Instant) -> Bool { begin <= moment && moment <= end }
}

/// A span with a name of the caller's.
public struct NamedSpan: Sendable, Hashable {
    public var name: String
    public var span: Span

    public init(_ name: String, _ span: Span) {
        self.name = name
        self.span = span
    }
}

/// All spans of one phase and the divisor of its per-token figures.
public struct PhaseSpans: Sendable, Hashable {
    /// In order of time and not overlapping.
    public var spans: [Span]
    /// Prompt tokens of a prefill, decode steps of a decode, generated tokens of a cycle; nil where the phase
    /// has no tokens.
    public var tokens: Int?

    public init(spans: [Span], tokens: Int? = nil) {
        self.spans = spans
        self.tokens = tokens
    }

    /// Sum of the lengths, seconds.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    private var nanoseconds: Int64 {
        spans.reduce(0) { sum, span in
            let (total, overflow) = sum.addingReportingOverflow(span.length.value)
            return overflow ? .max : total
        }
    }
}
