import Analysis

/// One `--filter 'KEY OP VALUE'`: which runs a report is about.
struct RunFilter {
    private enum Comparison: String, CaseIterable {
        // Longest first: "<=" is not "<" and a value that starts with "=".
        case atLeast = ">="
        case atMost = "<="
        case isNot = "!="
        case contains = "~"
        case equals = "="
        case above = ">"
        case below = "<"
    }

    private let text: String
    private let key: KeyFigure
    private let comparison: Comparison
    private let wanted: String

    /// - Throws: a usage `Failure` that says what is accepted.
    init(_ text: String) throws(Failure) {
        self.text = text
        func failure(_ cause: String, _ remedy: String) -> Failure {
            Failure(thing: "--filter \(text)", cause: cause, remedy: remedy, exit: .usage)
        }
        let signs: Set<Character> = ["<", ">", "=", "!", "~"]
        guard let start = text.firstIndex(where: signs.contains),
            let sign = Comparison.allCases.first(where: { text[start...].hasPrefix($0.rawValue) })
        else {
            throw failure(
                "not of the form KEY OP VALUE",
                "for example 'sustained>100', 'quantization=Q4_0', 'label~fan'")
        }
        let name = String(text[..<start]).trimmingEnds()
        guard let key = Self.key(name) else {
            throw failure(
                "no key \"\(name)\"", "keys of `sustain report -o jsonl`, or titles of the table's columns")
        }
        comparison = sign
        wanted = String(text[text.index(start, offsetBy: sign.rawValue.count)...]).trimmingEnds()
        self.key = key
        if [.atLeast, .atMost, .above, .below].contains(comparison), Double(wanted) == nil {
            throw failure("\"\(wanted)\" is no number", "\(comparison.rawValue) compares numbers")
        }
    }

    /// A key of the exports, or the title of a column; in upper or lower case.
    private static func key(_ name: String) -> KeyFigure? {
        let name = name.lowercased()
        let columns = Column.identity + [Column.test, Column.rate] + Column.ours
        let titled = columns.first { $0.title.lowercased() == name }?.key
        let ofEngine = EngineParameter.all.first { $0.title.lowercased() == name }?.export
        let wanted = titled ?? ofEngine ?? name
        return KeyFigure.all.first { $0.key == wanted && !["samples_ns", "samples_ts"].contains($0.key) }
    }

    /// Whether a run is meant; nil where it has no such value, and so cannot be.
    private func accepts(_ run: Run) -> Bool? {
        // The decode row has the figures of the whole run; a key of the prefill row alone is found there.
        for row in RunRow.rows(of: run).reversed() {
            if let answer = accepts(key.value(row)) { return answer }
        }
        return nil
    }

    private func accepts(_ value: FlatValue) -> Bool? {
        switch value {
        case .missing, .numbers: nil
        case .text(let text): accepts(text)
        case .flag(let flag): accepts(flag ? "true" : "false")
        case .integer(let number): accepts(Double(number), shown: String(number))
        case .number(let number): accepts(number, shown: String(number))
        }
    }

    private func accepts(_ number: Double, shown: String) -> Bool? {
        guard comparison != .contains, let limit = Double(wanted) else { return accepts(shown) }
        switch comparison {
        case .atLeast: return number >= limit
        case .atMost: return number <= limit
        case .above: return number > limit
        case .below: return number < limit
        case .isNot: return number != limit
        case .equals, .contains: return number == limit
        }
    }

    /// Numbers are not above or below a text.
    private func accepts(_ text: String) -> Bool? {
        let (left, right) = (text.lowercased(), wanted.lowercased())
        switch comparison {
        case .equals: return left == right
        case .isNot: return left != right
        case .contains: return right.isEmpty || left.contains(right)
        case .atLeast, .atMost, .above, .below: return nil
        }
    }

    /// The runs that are meant, and what to tell of the others.
    func apply(_ runs: [Run]) -> (kept: [Run], note: String?) {
        var lacking = 0
        let kept = runs.filter { run in
            guard let answer = accepts(run) else {
                lacking += 1
                return false
            }
            return answer
        }
        guard kept.count < runs.count else { return (kept, nil) }
        let why = lacking > 0 ? " (\(lacking) of them have no \(key.key))" : ""
        return (kept, "\(runs.count - kept.count) of \(runs.count) runs left out by --filter \(text)\(why)")
    }
}
