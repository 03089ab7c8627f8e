import Analysis

/// A figure as a page shows it: value, interval and method together, or why there is none.
struct FigureLine {
    var name: String
    var figure: Figure
    /// Of the shown number: " J", " tok/s".
    var unit = ""
    /// From the record's unit to the shown one.
    var scale = 1.0
    /// For values whose unit depends on their size: seconds, bytes.
    var write: ((Double) -> String)?

    var value: Markup {
        guard let number = figure.number else {
            return "<span class=\"bad\">unavailable</span>"
        }
        if let write { return "\(write(number))" }
        return "\(Notation.figure(figure, scale: scale, spread: false) ?? "n/a")\(unit)"
    }

    /// The bounds, or why they are missing; the reason of a figure that is missing itself.
    var interval: Markup {
        switch figure {
        // What would help stands below the windows, where each reason is told in full once.
        case .unavailable(let why): return "\(String(why.reason.prefix { $0 != ";" }))"
        case .value(_, .unavailable(let why), _):
            return "<span class=\"soft\">no interval: \(why.reason)</span>"
        case .value(_, .bounds(let low, let high), _):
            return
                "\(bound(low, of: high - low)) to \(bound(high, of: high - low))\(write == nil ? unit : "")"
        }
    }

    private func bound(_ value: Double, of width: Double) -> String {
        if let write { return write(value) }
        let half = width * scale / 2
        return half > 0
            ? fixed(value * scale, decimals: Notation.decimalsOfSpread(half)) : Notation.plain(value * scale)
    }

    var method: String {
        if case .value(_, _, let method) = figure { method } else { "" }
    }

    var row: [Markup] { ["\(name)", value, interval, "\(method)"] }

    /// For a list beside a chart.
    var item: Markup {
        let made: Markup = method.isEmpty ? .empty : "<br><small>\(method)</small>"
        return "<dt>\(name)</dt><dd>\(value)<br><small>\(interval)</small>\(made)</dd>\n"
    }

    static func table(_ caption: String, _ lines: [FigureLine]) -> Markup {
        PageTable(
            caption,
            [
                .init(title: "figure"), .init(title: "value", isNumber: true), .init(title: "95 % interval"),
                .init(title: "how it was made"),
            ], lines.map(\.row)
        ).markup
    }

    static func list(_ lines: [FigureLine]) -> Markup {
        "<dl>\n\(lines.map(\.item).joined())</dl>\n"
    }
}
