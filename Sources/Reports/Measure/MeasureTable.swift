import Analysis

/// What `sustain measure` prints below the command's own output.
public enum MeasureTable {
    /// - Parameter width: columns that notes stay within.
    public static func text(_ record: MeasureRecord, width: Int = 100) -> String {
        var lines = ["", heading(record), "", grid(record).plain(), times(record)]
        let notes = notes(record)
        if !notes.isEmpty { lines += [""] + notes.map { "- \($0)".wrapped(width: width, indent: 2) } }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func heading(_ record: MeasureRecord) -> String {
        let words = record.command.map { CellText.terminal($0, limit: 60) }.joined(separator: " ")
        let count = record.runs.count
        let mean = count > 1 ? ", mean of \(count) runs" : ""
        return "Energy of the machine during `\(CellText.terminal(words, limit: 72))`\(mean):"
    }

    private static func grid(_ record: MeasureRecord) -> Grid {
        let total = record.total
        func row(_ name: String, _ joules: Figure, _ watts: Figure, _ words: String) -> [String] {
            [name, number(joules), number(watts), words.escapedForDisplay]
        }
        var rows = record.sources.filter { $0.source.kind.value != nil }.map { reading in
            let isIn = total.scopes.includes.contains(reading.source.id)
            return row(
                CellText.terminal(reading.source.id), reading.joules, reading.watts,
                isIn || total.scopes.includes.isEmpty ? "" : "not in the total")
        }
        rows.append(row("total, gross", total.gross.joules, total.gross.watts, total.scopes.scope ?? ""))
        let doubt = record.idle.disturbance == nil ? "" : ", unreliable"
        let idle = Notation.figure(record.idle.watts).map { "above idle at \($0) W" + doubt } ?? ""
        rows.append(row("total, net", total.net.joules, total.net.watts, idle))
        return Grid(
            columns: [
                Grid.Column(title: "source", right: false), Grid.Column(title: "J", right: true),
                Grid.Column(title: "W", right: true), Grid.Column(title: "", right: false),
            ], rows: rows)
    }

    private static func times(_ record: MeasureRecord) -> String {
        let elapsed = Notation.figure(record.elapsedSeconds, decimals: 3) ?? "n/a"
        func seconds(_ value: Double) -> String { fixed(value, decimals: 3) }
        return "\(elapsed) s elapsed, \(seconds(record.userSeconds)) s user, "
            + "\(seconds(record.systemSeconds)) s system, exit code \(record.exitCode)"
    }

    private static func number(_ figure: Figure) -> String { Notation.figure(figure) ?? "n/a" }

    /// Each reason once, then what else belongs to the figures.
    private static func notes(_ record: MeasureRecord) -> [String] {
        let total = record.total
        var owners: [(reason: String, names: [String])] = []
        func add(_ figure: Figure, _ name: String) {
            guard let reason = figure.reason else { return }
            if let index = owners.firstIndex(where: { $0.reason == reason }) {
                owners[index].names.append(name)
            } else {
                owners.append((reason, [name]))
            }
        }
        for reading in record.sources where reading.source.kind.value != nil {
            add(reading.joules, reading.source.id)
        }
        add(total.gross.joules, "gross")
        add(total.net.joules, "net")
        var notes = owners.map { "n/a in \($0.names.joined(separator: ", ")): \($0.reason)" }
        if let why = record.idle.disturbance, total.net.joules.number != nil {
            notes.append("net is unreliable: \(why)")
        }
        notes += total.scopes.excludes.map { "not in the total: \($0.id): \($0.reason)" }
        for reading in record.sources where reading.source.status == .noPermission {
            notes.append(
                "\(reading.source.id): no permission; \(reading.source.remedy ?? "see sustain doctor")")
        }
        for reading in record.sources
        where reading.source.id.hasPrefix("exec:") && reading.source.status != .ok {
            notes.append("\(reading.source.id): \(reading.source.reason ?? "it told nothing")")
        }
        if total.scopes.includes.isEmpty { notes.append("`sustain doctor` lists what was looked for") }
        if record.provisional, record.runs.count > 1 {
            notes.append("provisional: how much runs differ needs three of them (--repeat)")
        }
        if total.gross.joules.number != nil {
            notes.append("± is the 95 % interval; the sensors' accuracy is not in it")
        }
        return (notes + record.warnings).map(\.escapedForDisplay)
    }
}
