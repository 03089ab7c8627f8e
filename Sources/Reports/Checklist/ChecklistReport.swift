import Analysis

/// `report --checklist`: the checklist of each record, and what no record measured.
struct ChecklistReport {
    let records: [Record]

    private static let titles = ["item", "status", "seen"]

    func text(_ format: ReportFormat, _ terminal: Terminal) throws(Failure) -> String {
        switch format {
        case .markdown: return table(.markdown, terminal)
        case .text: return table(.terminal, terminal)
        case .csv: return csv
        case .json, .jsonl: return try JSONText.rows(objects, lines: format == .jsonl)
        case .html, .svg, .llamaBench:
            throw Failure(
                thing: "--checklist -o \(format.rawValue)", cause: "there is no such page or picture",
                remedy: "the page of a run has its checklist: -o html without --checklist", exit: .usage)
        }
    }

    private func table(_ place: Place, _ terminal: Terminal) -> String {
        var text = ""
        for record in records {
            text += place.line("run \(record.id)" + (record.label.map { ", label \($0)" } ?? "")) + "\n\n"
            let rows = Checklist(record: record).answers.map {
                [$0.item.text, $0.answer.status.rawValue, place.line($0.answer.seen)]
            }
            text +=
                place.grid(Grid(columns: Self.titles.map { .init(title: $0, right: false) }, rows: rows))
                + "\n"
        }
        return text + footer.map { place.note($0, width: terminal.width) }.joined()
    }

    /// What no record measured, so that nobody takes it for met.
    private var footer: [String] {
        guard !records.isEmpty else { return [] }
        let missing = Checklist.items.filter { item in
            records.allSatisfy { item.answer($0).status == .notMeasured }
        }
        let all = records.count == 1 ? "the record" : "any of the \(records.count) records"
        return missing.isEmpty
            ? ["every item that applies was measured in \(all)"]
            : ["not measured in \(all): " + missing.map(\.text).joined(separator: "; ")]
    }

    private var csv: String {
        let lines = records.flatMap { record in
            Checklist(record: record).answers.map { entry in
                [record.id, entry.item.key, entry.item.text, entry.answer.status.rawValue, entry.answer.seen]
                    .map(CellText.csv).joined(separator: ",")
            }
        }
        return (["id,item,text,status,seen"] + lines).map { $0 + "\r\n" }.joined()
    }

    private var objects: [JSONValue] {
        records.map { record in
            let items = Checklist(record: record).answers.map { entry in
                (
                    entry.item.key,
                    JSONValue.object([
                        "text": .string(entry.item.text), "status": .string(entry.answer.status.rawValue),
                        "seen": .string(entry.answer.seen),
                    ])
                )
            }
            return .object([
                "id": .string(record.id),
                "checklist": .object(Dictionary(items, uniquingKeysWith: { first, _ in first })),
            ])
        }
    }
}
