import Analysis

/// The tables of a report as text: one for each setting within which runs may be ranked, and below it the three
/// orders or the frontier.
struct SectionText {
    let table: ParetoTable
    /// The frontier in place of the orders.
    let pareto: Bool
    let place: Place
    let terminal: Terminal

    var text: String { table.sections.map(section).joined(separator: "\n") }

    private func section(_ section: ParetoTable.Section) -> String {
        let rows =
            pareto ? ParetoTable.rows(section) : section.runs.flatMap { RunRow.rows(of: $0) }
        var table = RunTable(section.runs, rows: rows, extra: pareto ? [ParetoTable.mark(section)] : [])
        // A course in characters is for the eye: files that programs read have the figures.
        if place == .terminal, section.runs.contains(where: { $0.digest.course.count > 1 }) {
            table.insert(Self.course(terminal))
        }
        let heading = self.table.sections.count > 1 ? place.line(section.setting.text) + "\n\n" : ""
        var text = heading + shown(table.grid(place), keys: table.nameColumns)
        let below = table.notes(place) + (pareto ? self.table.summary(section, place) : [])
        if !below.isEmpty { text += "\n" + below.map(note).joined() }
        return text + (pareto ? plots(section) : orders(section))
    }

    /// Folded where the terminal is narrower; a pipe table is left as it is, because a file has no width.
    private func shown(_ grid: Grid, keys: [Int]) -> String {
        guard place == .terminal, let width = terminal.width else { return place.grid(grid) }
        return grid.folded(width: width, repeating: keys).map { headed($0.plain()) }.joined(separator: "\n")
    }

    private func headed(_ block: String) -> String {
        guard terminal.hasColour, let end = block.firstIndex(of: "\n") else { return block }
        return terminal.ink.bold(String(block[..<end])) + block[end...]
    }

    private func note(_ line: String) -> String { place.note(line, width: terminal.width) }

    private func plots(_ section: ParetoTable.Section) -> String {
        section.bases.filter { $0.runs.count > 1 }.map { basis, runs in
            let title = section.bases.count > 1 ? place.line(basis.text) + "\n" : ""
            return "\n" + place.verbatim(title + table.plot(runs, section, plain))
        }.joined()
    }

    /// A Markdown file has no colours.
    private var plain: Terminal {
        var terminal = terminal
        if place == .markdown { terminal.hasColour = false }
        return terminal
    }

    private func orders(_ section: ParetoTable.Section) -> String {
        guard section.setting.isRanked else {
            return section.runs.count > 1 ? "\n" + note(Setting.notRanked) : ""
        }
        let orders = RunOrders(section.runs)
        guard orders.isWorthShowing else { return "" }
        return "\n" + shown(orders.grid(place), keys: [0]) + "\n" + orders.notes(place).map(note).joined()
    }

    private static func course(_ terminal: Terminal) -> Column {
        Column(title: "t/s over time", key: "course", right: false) { row in
            guard row.isMain else { return .blank }
            let line = Sparkline.text(row.record.course, unicode: terminal.isUnicode)
            return line.isEmpty ? .blank : .number(shown: line, value: 0, spread: false)
        }
    }
}

extension RunTable {
    /// Adds a column before those that only tell runs apart.
    mutating func insert(_ column: Column) {
        let own = ["label", "status", "runs", "id"]
        columns.insert(column, at: columns.firstIndex { own.contains($0.key) } ?? columns.count)
    }

    /// The columns that name a row, for every part of a table that is folded.
    var nameColumns: [Int] {
        ["id", "test"].compactMap { key in columns.firstIndex { $0.key == key } }
    }
}
