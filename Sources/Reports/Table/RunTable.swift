import Analysis

/// A table of runs in llama-bench's column order with ours after `t/s`, and what has to stand below it.
struct RunTable {
    var columns: [Column]
    var rows: [RunRow]

    /// The table of some runs, two rows a run (prompt processing, token generation).
    init(_ runs: [(record: Record, path: String)]) {
        self.init(rows: runs.flatMap { RunRow.rows(of: $0.record, path: $0.path) })
    }

    init(rows: [RunRow], extra: [Column] = []) {
        self.rows = rows
        columns = Column.columns(for: Self.distinct(rows))
        // An extra column stands after ours and before those that only tell runs apart.
        let end = columns.lastIndex { $0.key == "peak_rss_bytes" }.map { $0 + 1 } ?? columns.count
        columns.insert(contentsOf: extra, at: end)
    }

    func grid(_ place: Place) -> Grid {
        Grid(
            columns: columns.map { Grid.Column(title: $0.title, right: $0.right) },
            rows: rows.map { row in columns.map { $0.cell(row).shown(place.cell) } })
    }

    /// Where ours begin: after `t/s`; and the column that names the row.
    var firstOfOurs: Int { columns.firstIndex { $0.key == Column.rate.key }.map { $0 + 1 } ?? columns.count }
    var testColumn: Int { columns.firstIndex { $0.key == Column.test.key } ?? 0 }

    /// The lines below the table: reasons, what the numbers cover, how runs ended.
    func notes(_ place: Place) -> [String] {
        reasons(place) { _ in true } + Self.legend(spread: hasSpread) + sizes(place) + energyScopes(place)
            + dead(place) + unreliable(place) + shortRuns(place) + uncontrolled(place) + memoryKinds(place)
            + endings(place)
    }

    private var records: [Record] { Self.distinct(rows) }

    private static func distinct(_ rows: [RunRow]) -> [Record] {
        var seen: Set<String> = []
        return rows.map(\.record).filter { seen.insert($0.id).inserted }
    }

    /// The reasons of the columns asked for, by column: in the order in which the eye meets them.
    func reasons(_ place: Place, of isWanted: (Column) -> Bool) -> [String] {
        var notes = Footnotes()
        for column in columns where isWanted(column) {
            for row in rows {
                guard case .missing(let reason) = column.cell(row) else { continue }
                notes.add(reason: reason, column: column.title, owner: row.record.shortID)
            }
        }
        return notes.lines(of: records.count, noun: "run", escape: place.line)
    }

    private var hasSpread: Bool {
        rows.contains { row in columns.contains { $0.cell(row).hasSpread } }
    }

    /// What ± means: llama-bench's is a standard deviation, ours is not.
    static func legend(spread: Bool) -> [String] {
        spread
            ? [
                "± is the 95 % interval: repeatability within the run; the sensors' accuracy is not in it",
                "no ±: one observation, or fewer than 8 independent cycles; the record has each reason",
            ]
            : []
    }

    private func sizes(_ place: Place) -> [String] {
        let files = records.filter { $0.artifact.value != nil && $0.artifact.value?.tensorBytes == nil }
        return files.isEmpty ? [] : ["size is that of the whole file" + naming(files, place)]
    }

    private func energyScopes(_ place: Place) -> [String] {
        groups(by: \.energyScope).map { "energy covers " + place.line($0) + naming($1, place) }
    }

    /// What the mark of energy cells means: "† energy without rapl:package-1, which is dead: never moved".
    func dead(_ place: Place) -> [String] {
        let found = groups { record in
            let dead = record.deadSources
            guard let first = dead.first else { return nil }
            let names = dead.map(\.id).joined(separator: ", ")
            let why = first.reason.map { ": \($0)" } ?? ""
            return "\(names), which \(dead.count == 1 ? "is" : "are") dead\(why)"
        }
        return found.map { "† energy without " + place.line($0) + naming($1, place) }
    }

    /// Where the idle windows were not idle, net is what it is called in the figure's method.
    private func unreliable(_ place: Place) -> [String] {
        let found = groups { record in
            guard case .value(_, _, let method) = record.metrics.decode.net.joules,
                let why = method.prefix(while: { $0 != ";" }).firstRange(of: "unreliable: ")
            else { return nil }
            return String(method.prefix { $0 != ";" }[why.upperBound...])
        }
        return found.map { "net is unreliable: " + place.line($0) + naming($1, place) }
    }

    private func shortRuns(_ place: Place) -> [String] {
        let short = records.filter(\.isShortRun)
        return short.isEmpty ? [] : ["sustained is that of a short run" + naming(short, place)]
    }

    /// What pb-random-v1 says of itself.
    private func uncontrolled(_ place: Place) -> [String] {
        let found = records.filter { $0.metrics.coldAndWarm != nil }
        guard !found.isEmpty else { return [] }
        return [
            "pb-random-v1 is not a controlled environment: background load and heat are in its figures"
                + naming(found, place)
        ]
    }

    private func memoryKinds(_ place: Place) -> [String] {
        let kinds = groups { $0.memory.peakRSSBytes.number == nil ? nil : $0.memory.accounting }
        if kinds.count == 1, kinds[0].value == "gpu" {
            return ["peak mem is that of the process on the host; the model is in the memory of a GPU"]
        }
        guard kinds.count > 1 else { return [] }
        let named = kinds.map { place.line($0) + naming($1, place) }.joined(separator: "; ")
        return ["peak mem is not counted alike and not to be ranked: " + named]
    }

    private func endings(_ place: Place) -> [String] {
        let marked = records.filter { $0.mark != nil }
        guard !marked.isEmpty else { return [] }
        let counts = groups { $0.mark ?? "completed" }.map { "\($1.count) \($0)" }
        let total = "\(records.count) run\(records.count == 1 ? "" : "s"): "
        let details = marked.map { record in
            let why = record.ending.map { " (\(place.line($0)))" } ?? ""
            return "run \(place.line(record.shortID)) \(record.mark ?? "completed")" + why
        }
        return [total + counts.joined(separator: ", ")] + details
    }

    /// " (run a1b2c3)", " (5 of 9 runs)", or nothing where all runs are meant.
    private func naming(_ some: [Record], _ place: Place) -> String {
        Footnotes.naming(some.map(\.shortID), of: records.count, noun: "run", place.line)
    }

    /// The runs by a value, in order of appearance; runs without one are left out.
    private func groups(by value: (Record) -> String?) -> [(value: String, runs: [Record])] {
        var order: [String] = []
        var members: [String: [Record]] = [:]
        for record in records {
            guard let key = value(record) else { continue }
            if members[key] == nil { order.append(key) }
            members[key, default: []].append(record)
        }
        return order.map { ($0, members[$0, default: []]) }
    }
}
