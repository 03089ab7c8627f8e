/// Points on a character grid with the extremes at the axes.
struct ScatterPlot {
    struct Mark {
        var x: Double
        var y: Double
        /// Of a point on the frontier; nil for the others.
        var symbol: Character?
    }

    /// Finite coordinates only. Where two marks share a character cell, the one on the frontier is shown.
    var marks: [Mark]
    var xTitle: String
    var yTitle: String
    var terminal = Terminal(isUnicode: false)
    var height = 12

    private static let widest = 72
    private static let narrowest = 16

    var text: String {
        guard let first = marks.first else { return "" }
        let xs = marks.reduce((first.x, first.x)) { (min($0.0, $1.x), max($0.1, $1.x)) }
        let ys = marks.reduce((first.y, first.y)) { (min($0.0, $1.y), max($0.1, $1.y)) }
        let (top, bottom) = (Notation.plain(ys.1), Notation.plain(ys.0))
        let margin = max(top.count, bottom.count)
        let room = (terminal.width ?? Self.widest) - margin - 2
        let width = min(max(room, Self.narrowest), Self.widest - margin - 2)
        let signs: (side: String, corner: String, floor: String, off: Character) =
            terminal.isUnicode ? ("│", "└", "─", "○") : ("|", "+", "-", "o")
        let cells = cells(xs, ys, width, off: signs.off)
        var text = String(repeating: " ", count: margin + 1) + yTitle + "\n"
        for (index, row) in cells.enumerated() {
            let label = index == 0 ? top : index == height - 1 ? bottom : ""
            text +=
                (label.padded(to: margin, right: true) + " \(signs.side)" + line(row)).trimmingEnd() + "\n"
        }
        let indent = String(repeating: " ", count: margin + 1)
        text += indent + signs.corner + String(repeating: signs.floor, count: width) + "\n"
        let (left, right) = (Notation.plain(xs.0), Notation.plain(xs.1))
        let title = left + " " + xTitle
        text += indent + " " + title + right.padded(to: max(width - title.count, 1), right: true) + "\n"
        return text + indent + " *1, *2, ... on the frontier as in the table; \(signs.off) off it\n"
    }

    private func cells(
        _ xs: (Double, Double), _ ys: (Double, Double), _ width: Int, off: Character
    ) -> [[Mark.Cell]] {
        var cells = Array(repeating: Array(repeating: Mark.Cell.empty, count: width), count: height)
        for mark in marks {
            let column = position(mark.x, xs, width)
            let row = height - 1 - position(mark.y, ys, height)
            if case .frontier = cells[row][column] { continue }
            cells[row][column] = mark.symbol.map(Mark.Cell.frontier) ?? .off(off)
        }
        return cells
    }

    private func line(_ row: [Mark.Cell]) -> String {
        row.map { cell in
            switch cell {
            case .empty: " "
            case .off(let sign): String(sign)
            case .frontier(let sign): terminal.ink.good(String(sign))
            }
        }.joined()
    }

    /// The cell of a value along an axis; the middle where all values are equal.
    private func position(_ value: Double, _ range: (Double, Double), _ cells: Int) -> Int {
        let span = range.1 - range.0
        guard span > 0, span.isFinite else { return cells / 2 }
        return min(cells - 1, max(0, Int(((value - range.0) / span * Double(cells - 1)).rounded())))
    }
}

extension ScatterPlot.Mark {
    fileprivate enum Cell {
        case empty
        case off(Character)
        case frontier(Character)
    }
}
