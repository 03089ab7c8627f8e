/// A chart: two axes, layers drawn in order, a legend that names them.
struct Chart: Sendable {
    struct Point: Sendable, Hashable {
        var x: Double
        var y: Double
    }

    /// A colour and a stroke of the style sheet (`ChartStyle`), the same in the legend as in the plot.
    struct Look: Sendable, Hashable {
        var colour: Int
        var isDashed = false
        init(_ colour: Int, dashed: Bool = false) {
            self.colour = colour % ChartStyle.colours
            isDashed = dashed
        }
    }

    struct Mark: Sendable {
        var point: Point
        var xs: ClosedRange<Double>?
        var ys: ClosedRange<Double>?
        var isOnFrontier: Bool
        /// Beside the mark where there is room.
        var label: String
        /// What a pointer over the mark shows.
        var detail: String
    }

    enum Layer: Sendable {
        case line([[Point]], Look)
        /// Between two courses of the same x.
        case area([(x: Double, low: Double, high: Double)], Look, faint: Bool)
        case bars([(from: Double, to: Double, height: Double)], Look)
        /// A stretch of the x axis, shaded; every other one darker.
        case shade(from: Double, to: Double, name: String, dark: Bool)
        case level(Double, Look, from: Double?, to: Double?, name: String)
        case moment(Double, Look, name: String)
        case marks([Mark], Look)
    }

    struct Key: Sendable {
        enum Sign: Sendable { case line, area, shade, frontier, mark, none }
        var sign: Sign
        var look: Look
        var text: String
    }

    var title: String
    /// What the chart shows, for those who do not see it.
    var description: String
    var x: Axis
    var y: Axis
    var layers: [Layer] = []
    var legend: [Key] = []
    /// Lines below the plot, where the picture stands alone.
    var footer: [String] = []
}

/// How large text is, well enough to keep labels apart: the widest of common sans-serif fonts.
enum TextMetrics {
    static let size = 12.0
    static let lineHeight = 17.0

    static func width(_ text: String) -> Double { Double(text.displayWidth) * 0.66 * size }

    /// The text in at most two lines of a width.
    static func lines(_ text: String, width: Double) -> [String] {
        let columns = Int(width / (0.66 * size))
        let lines = text.wrapped(width: columns, indent: 0).split(separator: "\n").map(String.init)
        guard let first = lines.first else { return [] }
        let rest = lines.dropFirst().joined(separator: " ")
        return ([first] + (rest.isEmpty ? [] : [rest])).map { cropped($0, to: width) }
    }

    /// The text cut to a width.
    static func cropped(_ text: String, to width: Double) -> String {
        CellText.terminal(text, limit: max(4, Int(width / (0.66 * size)) - 1))
    }
}
