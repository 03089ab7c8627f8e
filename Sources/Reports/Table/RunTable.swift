import Analysis

/// A table of runs in llama-bench's column order with ours after `t/s`, and what has to stand below it.
struct RunTable {
    var columns: [Column]
    var rows: [RunRow]
    let runs: [Run]

    /// The table of some runs, two rows a run (prompt processing, token generation).
    init(_ runs: [Run]) { self.init(runs, rows: runs.flatMap { RunRow.rows(of: $0) }) }

    init(_ runs: [Run], rows: [RunRow], extra: [Column] = []) {
        self.runs = runs
        self.rows = rows
        columns = Column.columns(for: runs)
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
        reasons(place) { _ in true } + Self.legend(spread: hasSpread) + provisional(place) + sizes(place)
            + energyScopes(place) + dead(place) + unreliable(place) + shortRuns(place) + uncontrolled(place)
            + memoryKinds(place) + endings(place)
    }

    /// What a row is, where rows are counted.
    var noun: String { runs.contains { $0.runs.count > 1 } ? "row" : "run" }

    /// The reasons of the columns asked for, by column: in the order in which the eye meets them.
    func reasons(_ place: Place, of isWanted: (Column) -> Bool) -> [String] {
        var notes = Footnotes()
        for column in columns where isWanted(column) {
            for row in rows {
                guard case .missing(let reason) = column.cell(row) else { continue }
                notes.add(reason: reason, column: column.title, owner: row.run.name)
            }
        }
        return notes.lines(of: runs.count, noun: noun, escape: place.line)
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
}
