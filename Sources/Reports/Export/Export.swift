import Analysis

/// The flat exports: a row a run and phase, the same keys in CSV, JSON and JSON lines.
struct Export {
    private var rows: [RunRow]
    private var keys: [KeyFigure]

    init(_ runs: [(record: Record, path: String)], pareto: Bool) {
        rows = runs.flatMap { RunRow.rows(of: $0.record, path: $0.path) }
        keys = KeyFigure.all
        guard pareto else { return }
        let frontier = ParetoTable(runs).frontier
        keys.append(
            KeyFigure(ParetoTable.column) { row in
                if !row.isMain { return .none }
                if let why = ParetoTable.reason(row.record) { return .missing(why) }
                return .flag(frontier.contains(row.record.id))
            })
    }

    func text(_ format: ReportFormat) throws(Failure) -> String {
        let objects = rows.map(object)
        do {
            switch format {
            case .json: return Self.visible(try CanonicalJSON.document(objects))
            case .jsonl:
                return try objects.map { Self.visible(try CanonicalJSON.line($0)) + "\n" }.joined()
            case .csv, .markdown, .text, .html, .svg: return csv()
            }
        } catch {
            throw Failure(thing: "report", cause: "a value cannot be written as JSON", remedy: nil)
        }
    }

    /// JSON text in which what a terminal would obey is written as `\uXXXX`: the same values to a parser.
    static func visible(_ json: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            // Outside strings JSON is ASCII, and its own escapes leave no C0 control inside them.
            guard scalar.obeyedByTerminals, scalar != "\n" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return text
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
                    notes.add(reason: reason, column: column.key, owner: row.record.id)
                }
                return value.csv
            }
            return (fields + [CellText.csv(notes.joined())]).joined(separator: ",")
        }
        return ([header.joined(separator: ",")] + lines).map { $0 + "\r\n" }.joined()
    }
}
