/// Cells in rows and columns, already safe for the place where they will be shown.
struct Grid {
    struct Column {
        var title: String
        /// Numbers stand right, texts left.
        var right: Bool
    }

    var columns: [Column]
    var rows: [[String]]

    /// The pipe table that llama-bench prints: padded, with a rule that gives the alignment.
    func markdown() -> String {
        let widths = widths(minimum: 3)
        func line(_ cells: [String]) -> String {
            let padded = cells.indices.map { cells[$0].padded(to: widths[$0], right: columns[$0].right) }
            return "| " + padded.joined(separator: " | ") + " |\n"
        }
        let rule = columns.indices.map { index in
            let dashes = String(repeating: "-", count: widths[index] - 1)
            return columns[index].right ? dashes + ":" : dashes + "-"
        }
        return line(columns.map(\.title)) + line(rule) + rows.map(line).joined()
    }

    /// Columns parted by two spaces, no rules; lines do not end in spaces.
    func plain() -> String {
        let widths = widths(minimum: 1)
        func line(_ cells: [String]) -> String {
            let padded = cells.indices.map { cells[$0].padded(to: widths[$0], right: columns[$0].right) }
            return padded.joined(separator: "  ").trimmingEnd() + "\n"
        }
        return line(columns.map(\.title)) + rows.map(line).joined()
    }

    /// The width of the pipe table.
    var markdownWidth: Int { widths(minimum: 3).reduce(1) { $0 + $1 + 3 } }

    /// The grid in two parts, the second beginning with column `key` again, so that its rows keep a name.
    func split(before index: Int, repeating key: Int) -> (Grid, Grid) {
        let head = Array(columns.indices.prefix(index))
        let tail = [key] + columns.indices.dropFirst(index)
        return (selecting(head), selecting(tail))
    }

    /// The grid in parts that fit a width, each beginning with the columns `keys`, so that its rows keep a name; a
    /// column that does not fit beside them is not cut.
    func folded(width: Int, repeating keys: [Int]) -> [Grid] {
        let widths = widths(minimum: 1)
        let own = keys.map { widths[$0] + 2 }.reduce(0, +)
        var parts: [[Int]] = []
        var room = 0
        for index in columns.indices where !keys.contains(index) {
            let needed = widths[index] + 2
            if parts.isEmpty || needed > room {
                parts.append(keys + [index])
                room = width + 2 - own - needed
            } else {
                parts[parts.count - 1].append(index)
                room -= needed
            }
        }
        // In one part the columns stay in their order.
        return parts.count < 2 ? [self] : parts.map(selecting)
    }

    private func selecting(_ indices: [Int]) -> Grid {
        Grid(columns: indices.map { columns[$0] }, rows: rows.map { row in indices.map { row[$0] } })
    }

    private func widths(minimum: Int) -> [Int] {
        columns.indices.map { index in
            rows.reduce(max(minimum, columns[index].title.displayWidth)) { max($0, $1[index].displayWidth) }
        }
    }
}

extension String {
    func trimmingEnd() -> String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The text in lines of at most `width` columns, broken at spaces; further lines start with `indent`
    /// spaces. A word longer than a line stays whole.
    func wrapped(width: Int, indent: Int) -> String {
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            let room = width - line.displayWidth - 1
            if line.isEmpty {
                line = String(word)
            } else if word.displayWidth <= room {
                line += " " + word
            } else {
                lines.append(line)
                line = String(repeating: " ", count: indent) + word
            }
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
