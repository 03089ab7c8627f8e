/// A table of a page: headings with their scope, and each cell knows its column's name, so that rows can stand
/// as cards on a narrow screen. The roles are named because such a display takes them away.
struct PageTable {
    struct Column {
        var title: String
        var isNumber = false
    }

    var caption: String
    var columns: [Column]
    /// The first cell of a row is its heading.
    var rows: [[Markup]]

    init(_ caption: String, _ columns: [Column], _ rows: [[Markup]]) {
        self.caption = caption
        self.columns = columns
        self.rows = rows
    }

    /// A table of text as it is laid out for a terminal: its cells hold no markup.
    init(_ caption: String, _ grid: Grid) {
        self.caption = caption
        columns = grid.columns.map { Column(title: $0.title, isNumber: $0.right) }
        rows = grid.rows.map { $0.map { "\($0)" } }
    }

    var markup: Markup {
        let head = columns.map { column -> Markup in
            let kind: Markup = column.isNumber ? " class=\"n\"" : .empty
            return "<th role=\"columnheader\" scope=\"col\"\(kind)>\(column.title)</th>"
        }.joined()
        let table: Markup = """
            <table role="table">
            <caption>\(caption)</caption>
            <thead role="rowgroup"><tr role="row">\(head)</tr></thead>
            <tbody role="rowgroup">
            \(rows.map(row).joined())</tbody>
            </table>

            """
        // Few columns always find room; what may have to be scrolled must be reached by keyboard.
        guard columns.count > Self.fewColumns else { return table }
        return """
            <div class="scroll" role="region" aria-label="\(caption)" tabindex="0">
            \(table)</div>

            """
    }

    private static let fewColumns = 4

    private func row(_ cells: [Markup]) -> Markup {
        let shown = zip(columns, cells).enumerated().map { number, pair -> Markup in
            let (column, cell) = pair
            var kinds: [Markup] = column.isNumber ? ["n"] : []
            if cell.text.count > Self.longCell { kinds.append("long") }
            let kind: Markup = kinds.isEmpty ? .empty : " class=\"\(kinds.joined(" "))\""
            if number == 0 { return "<th role=\"rowheader\" scope=\"row\"\(kind)>\(cell)</th>" }
            // An empty cell would be a name without a value on a narrow screen.
            let name: Markup = cell.text.isEmpty ? .empty : " data-name=\"\(column.title)\""
            return "<td role=\"cell\"\(kind)\(name)>\(cell)</td>"
        }
        return "<tr role=\"row\">\(shown.joined())</tr>\n"
    }

    /// A cell of more letters may be broken into lines.
    private static let longCell = 28
}
