import Analysis

/// The repetitions behind a row, as llama-bench counts them: one sample a whole cycle.
struct Samples {
    /// Length of each cycle's phase, nanoseconds.
    var nanoseconds: [Double]
    /// Tokens per second of each.
    var rates: [Double]

    /// From the windows of the sustained part; prompt tokens or decode steps are the tokens.
    init(_ row: RunRow) {
        let name = row.phase == .prefill ? "prefill" : "decode"
        let windows = row.record.windows.filter {
            $0.name == name && $0.part == .sustained && $0.whole && $0.end > $0.begin
        }
        nanoseconds = windows.map { (($0.end - $0.begin) * 1e9).rounded() }
        rates = windows.compactMap { window in window.tokens.map { Double($0) / (window.end - window.begin) }
        }
    }

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
