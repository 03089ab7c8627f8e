import Analysis

/// The repetitions behind a row, as llama-bench counts them: one sample a whole cycle.
struct Samples: Sendable, Hashable {
    struct Sample: Sendable, Hashable {
        /// Length of the cycle's phase.
        var seconds: Double
        /// Prompt tokens or decode steps; nil where the engine does not count.
        var tokens: Int?
    }

    var all: [Sample]

    init(_ all: [Sample]) { self.all = all }

    /// From the windows of the sustained part.
    init(_ windows: [Window], of phase: String) {
        all = windows.compactMap { window in
            guard window.name == phase, window.part == .sustained, window.whole, window.end > window.begin
            else { return nil }
            return Sample(seconds: window.end - window.begin, tokens: window.tokens)
        }
    }

    /// Of all runs of a row, one after the other.
    init(_ row: RunRow) {
        let phases = row.run.runs.map { row.phase == .prefill ? $0.digest.prefill : $0.digest.decode }
        all = phases.flatMap(\.samples.all)
    }

    /// Length of each cycle's phase, nanoseconds.
    var nanoseconds: [Double] { all.map { ($0.seconds * 1e9).rounded() } }

    /// Tokens per second of each.
    var rates: [Double] { all.compactMap { sample in sample.tokens.map { Double($0) / sample.seconds } } }

    static func mean(_ values: [Double]) -> FlatValue {
        values.isEmpty
            ? .missing("no whole cycle") : FlatValue(finite: values.reduce(0, +) / Double(values.count))
    }

    /// The sample standard deviation, n - 1 in the divisor as in llama-bench; but of one sample there is none.
    static func deviation(_ values: [Double]) -> FlatValue {
        guard values.count > 1 else { return .missing(values.isEmpty ? "no whole cycle" : "one observation") }
        let mean = values.reduce(0, +) / Double(values.count)
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return FlatValue(finite: (squares / Double(values.count - 1)).squareRoot())
    }

    /// A nanosecond value as the whole number that llama-bench writes.
    static func whole(_ value: FlatValue) -> FlatValue {
        guard case .number(let number) = value else { return value }
        return Int64(exactly: number.rounded()).map(FlatValue.integer) ?? value
    }
}
