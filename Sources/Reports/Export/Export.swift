import Analysis

/// The flat exports: a row a run and phase, the same keys in CSV, JSON and JSON lines.
struct Export {
    private var rows: [RunRow]
    private var keys: [KeyFigure]

    /// - Parameter pareto: the frontiers of the same runs, whose marks are exported too.
    init(_ runs: [Run], pareto: ParetoTable? = nil) {
        rows = runs.flatMap { RunRow.rows(of: $0) }
        keys = KeyFigure.all
        guard let pareto else { return }
        let frontier = pareto.frontier
        keys.append(
            KeyFigure(ParetoTable.column) { row in
                if !row.isMain { return .missing("a mark of the whole run: in its row of generation (tg)") }
                if let why = pareto.axes.reason(row.run) { return .missing(why) }
                return .flag(frontier.contains(row.record.id))
            })
    }

    func text(_ format: ReportFormat) throws(Failure) -> String {
        switch format {
        case .json, .jsonl: try JSONText.rows(rows.map(object), lines: format == .jsonl)
        case .csv, .markdown, .text, .html, .svg, .llamaBench: csv()
        }
    }

    /// Keys without a value hold null; `unavailable` has the reasons by key.
    private func object(_ row: RunRow) -> JSONValue {
        var members: [String: JSONValue] = [:]
        var reasons: [String: JSONValue] = [:]
        for key in keys {
            let value = key.value(row)
            members[key.key] = value.json
            if let reason = value.reason { reasons[key.key] = .string(reason) }
        }
        members["unavailable"] = .object(reasons)
        return .object(members)
    }

    /// RFC 4180 with a header line; series are left out, and the last field holds the reasons.
    private func csv() -> String {
        let columns = keys.filter { !["samples_ns", "samples_ts"].contains($0.key) }
        let header = columns.map(\.key) + ["unavailable"]
        let lines = rows.map { row in
            var notes = Footnotes()
            let fields = columns.map { column in
                let value = column.value(row)
                if let reason = value.reason {
                    notes.add(reason: reason, column: column.key, owner: row.run.name)
                }
                return value.csv
            }
            return (fields + [CellText.csv(notes.joined())]).joined(separator: ",")
        }
        return ([header.joined(separator: ",")] + lines).map { $0 + "\r\n" }.joined()
    }
}
