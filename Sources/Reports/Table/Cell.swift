import Analysis

/// What one cell of a table holds, before it is made text for one place.
enum Cell {
    /// Nothing to say: the column is not about this row.
    case blank
    /// Text from outside, escaped when it is shown.
    case text(String)
    /// A number as it is shown and as it is sorted; `spread` says that an interval stands with it.
    case number(shown: String, value: Double, spread: Bool)
    /// A value that should be there and is not, with the reason.
    case missing(String)

    /// A figure as a number or as missing.
    init(_ figure: Figure, scale: Double = 1, decimals: Int? = nil, suffix: String = "", spread: Bool = true)
    {
        guard let value = figure.number else {
            self = .missing(figure.reason ?? "no reason given")
            return
        }
        guard let shown = Notation.figure(figure, scale: scale, decimals: decimals, spread: spread) else {
            self = .missing("not a finite number")
            return
        }
        let half = Notation.halfWidth(figure) ?? 0
        self = .number(shown: shown + suffix, value: value * scale, spread: spread && half > 0)
    }

    var hasSpread: Bool { if case .number(_, _, let spread) = self { spread } else { false } }

    /// The value to sort by; nil for text and for what is not there.
    var value: Double? { if case .number(_, let value, _) = self { value } else { nil } }

    /// The cell for one place.
    func shown(_ escape: (String) -> String) -> String {
        switch self {
        case .blank: ""
        case .text(let text): escape(text)
        case .number(let shown, _, _): shown
        case .missing: "n/a"
        }
    }
}
