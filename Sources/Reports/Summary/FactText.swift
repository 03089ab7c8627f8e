import Analysis

/// How the facts of a summary are worded: text from outside made safe, each reason said once.
enum FactText {
    /// Text from outside, fit for a line of a terminal.
    static func safe(_ text: String) -> String { Place.terminal.line(text) }

    static func missing(_ reason: String) -> String {
        "n/a (\(safe(reason.isEmpty ? "no reason given" : reason)))"
    }

    /// A share as per cent without the sign, nil where there is none.
    static func percent(_ figure: Figure) -> String? {
        Notation.figure(figure, scale: 100, decimals: 1)
    }

    /// A named value in a list, as it is shown, or why it is missing.
    struct Item {
        var name: String
        var shown: String?
        var reason: String

        init(_ name: String, _ figure: Figure, _ text: String?, _ unit: String) {
            self.name = name
            shown = text.map { $0 + unit }
            reason = figure.reason ?? ""
        }

        init(_ name: String, _ figure: Figure, _ show: (Double) -> String) {
            self.init(name, figure, figure.number.map(show), "")
        }
    }

    /// "burst 131.2 t/s, sustained 129.0 t/s"; what is missing for one reason is named together.
    static func list(_ items: [Item]) -> String {
        var missed: [String: [String]] = [:]
        for item in items where item.shown == nil { missed[item.reason, default: []].append(item.name) }
        return items.compactMap { item -> String? in
            if let shown = item.shown { return item.name + " " + shown }
            guard let names = missed.removeValue(forKey: item.reason) else { return nil }
            return names.joined(separator: ", ") + " " + missing(item.reason)
        }.joined(separator: ", ")
    }

    /// Names by what is said of them, in order of appearance: "governor, epp (no interface), turbo (off)".
    static func grouped(_ entries: [(name: String, text: String)]) -> String {
        var order: [String] = []
        var names: [String: [String]] = [:]
        for entry in entries {
            if names[entry.text] == nil { order.append(entry.text) }
            names[entry.text, default: []].append(safe(entry.name))
        }
        return order.map { "\(names[$0, default: []].joined(separator: ", ")) (\(safe($0)))" }
            .joined(separator: ", ")
    }
}
