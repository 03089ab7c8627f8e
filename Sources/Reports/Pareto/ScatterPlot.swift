/// Points on a character grid with the extremes at the axes.
struct ScatterPlot {
    struct Mark {
        var x: Double
        var y: Double
        var symbol: Character
    }

    /// Finite coordinates only. Where two marks share a character cell, `*` stands over others.
    var marks: [Mark]
    var xTitle: String
    var yTitle: String
    var width = 56
    var height = 12

    var text: String {
        guard let first = marks.first else { return "" }
        let xs = marks.reduce((first.x, first.x)) { (min($0.0, $1.x), max($0.1, $1.x)) }
        let ys = marks.reduce((first.y, first.y)) { (min($0.0, $1.y), max($0.1, $1.y)) }
        var cells = Array(repeating: Array(repeating: Character(" "), count: width), count: height)
        for mark in marks {
            let column = position(mark.x, xs, width)
            let row = height - 1 - position(mark.y, ys, height)
            if cells[row][column] != "*" { cells[row][column] = mark.symbol }
        }
        let (top, bottom) = (Notation.plain(ys.1), Notation.plain(ys.0))
        let margin = max(top.count, bottom.count)
        var text = String(repeating: " ", count: margin + 1) + yTitle + "\n"
        for (index, row) in cells.enumerated() {
            let label = index == 0 ? top : index == height - 1 ? bottom : ""
            text += (label.padded(to: margin, right: true) + " |" + String(row)).trimmingEnd() + "\n"
        }
        let indent = String(repeating: " ", count: margin + 1)
        text += indent + "+" + String(repeating: "-", count: width) + "\n"
        let (left, right) = (Notation.plain(xs.0), Notation.plain(xs.1))
        let title = left + " " + xTitle
        return text + indent + " " + title + right.padded(to: max(width - title.count, 1), right: true) + "\n"
    }

    /// The cell of a value along an axis; the middle where all values are equal.
    private func position(_ value: Double, _ range: (Double, Double), _ cells: Int) -> Int {
        let span = range.1 - range.0
        guard span > 0, span.isFinite else { return cells / 2 }
        return min(cells - 1, max(0, Int(((value - range.0) / span * Double(cells - 1)).rounded())))
    }
}
