import Analysis

/// Where a table is shown, which decides its form and how text from outside is escaped.
enum Place {
    case terminal, markdown

    /// Text from outside as a table's cell, held to a cell's length.
    func cell(_ text: String) -> String {
        self == .markdown ? CellText.markdown(text) : CellText.terminal(text)
    }

    /// Text from outside in a line of its own.
    func line(_ text: String) -> String {
        self == .markdown ? CellText.markdown(text, limit: 2000) : CellText.terminal(text, limit: 2000)
    }

    /// A line below a table. Markdown would run lines together, so each is an item of a list there.
    func note(_ line: String, width: Int? = nil) -> String {
        self == .markdown
            ? "- " + line + "\n" : line.wrapped(width: min(max(width ?? 110, 40), 110), indent: 2) + "\n"
    }

    /// Text whose columns must stay as they are.
    func verbatim(_ text: String) -> String { self == .markdown ? "```\n" + text + "```\n" : text }

    func grid(_ grid: Grid) -> String { self == .markdown ? grid.markdown() : grid.plain() }
}
