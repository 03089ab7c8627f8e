/// Draws a chart at one width.
///
/// A page has each chart twice, wide and narrow, and shows the one that suits the screen: a picture that is
/// scaled down to a telephone has letters that nobody can read.
struct ChartDrawing {
    static let wide = 760.0
    static let narrow = 350.0

    let chart: Chart
    let width: Double
    let plot: Box
    private let xTicks: [Axis.Tick]
    private let yTicks: [Axis.Tick]
    private let keyRows: [[(key: Chart.Key, x: Double, text: String)]]
    /// The title that a picture of its own has; empty on a page.
    private let headLines: [String]
    private let xTitle: [String]
    private let yTitle: [String]
    private let footerLines: [String]
    private var labels: LabelPlacer

    /// - Parameter titled: whether the title and the footer are drawn; a page has its own.
    init(_ chart: Chart, width: Double, titled: Bool = false) {
        self.chart = chart
        self.width = width
        headLines = titled ? TextMetrics.lines(chart.title, width: width / 1.25) : []
        footerLines = titled ? chart.footer.flatMap { TextMetrics.lines($0, width: width) } : []
        xTitle = TextMetrics.lines(chart.x.title, width: width)
        yTitle = TextMetrics.lines(chart.y.title, width: width)
        keyRows = Self.arranged(chart.legend, width: width)
        yTicks = chart.y.ticks(most: 6)
        let left = (yTicks.map { TextMetrics.width($0.label) }.max() ?? 0) + 10
        let right = 14.0
        let above = Double(keyRows.count + yTitle.count) * TextMetrics.lineHeight
        let top = Self.height(head: headLines) + above + 8
        let plot = Box(
            left: left, top: top, right: width - right,
            bottom: top + (width > 500 ? 260 : 220))
        self.plot = plot
        let widest = chart.x.ticks(most: 8).map { TextMetrics.width($0.label) }.max() ?? 0
        xTicks = chart.x.ticks(most: max(2, min(10, Int((plot.right - plot.left) / (widest + 18)))))
        labels = LabelPlacer(bounds: plot)
    }

    private static func height(head lines: [String]) -> Double {
        lines.isEmpty ? 0 : Double(lines.count) * 20 + 6
    }

    var height: Double {
        plot.bottom + 10 + Double(1 + xTitle.count + footerLines.count) * TextMetrics.lineHeight
    }

    /// The `svg` element.
    ///
    /// - Parameter id: of its title and description; unique in a document.
    func svg(id: String) -> Markup {
        var drawing = self
        let body = chart.layers.map { drawing.layer($0) }.joined()
        let names = chart.layers.map { drawing.name($0) }.joined()
        let frame: Markup = """
            <svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" aria-labelledby="\(id)t \(id)d" \
            viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)">\
            <title id="\(id)t">\(chart.title)</title><desc id="\(id)d">\(chart.description)</desc>
            """
        return frame + heading + keys + grid + body + names + footer + "</svg>\n"
    }

    private var heading: Markup {
        headLines.enumerated().map { number, line -> Markup in
            "<text class=\"head\" x=\"0\" y=\"\(15 + Double(number) * 20)\">\(line)</text>"
        }.joined()
    }

    private var footer: Markup {
        let top = plot.bottom + 20 + Double(1 + xTitle.count) * TextMetrics.lineHeight
        return texts(footerLines, x: 0, top: top, kind: "start")
    }

    /// Lines of text one below the other, the first with its baseline at `top`.
    private func texts(_ lines: [String], x: Double, top: Double, kind: Markup) -> Markup {
        lines.enumerated().map { number, line -> Markup in
            let y = top + Double(number) * TextMetrics.lineHeight
            return "<text class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\">\(line)</text>"
        }.joined()
    }

    private var grid: Markup {
        var result: Markup = "<g class=\"grid\">"
        for tick in yTicks {
            let y = self.y(tick.value)
            result += "<path d=\"M\(plot.left) \(y)H\(plot.right)\"/>"
            result += "<text class=\"end\" x=\"\(plot.left - 6)\" y=\"\(y + 4)\">\(tick.label)</text>"
        }
        for tick in xTicks {
            let x = self.x(tick.value)
            let half = TextMetrics.width(tick.label) / 2
            let held = min(max(x, half), width - half)
            result += "<path d=\"M\(x) \(plot.bottom)v5\"/>"
            result += "<text class=\"mid\" x=\"\(held)\" y=\"\(plot.bottom + 18)\">\(tick.label)</text>"
        }
        result += "<path class=\"axis\" d=\"M\(plot.left) \(plot.top)V\(plot.bottom)H\(plot.right)\"/>"
        let top = plot.top - 8 - Double(yTitle.count - 1) * TextMetrics.lineHeight
        result += texts(yTitle, x: 0, top: top, kind: "start")
        result += texts(xTitle, x: plot.right, top: plot.bottom + 36, kind: "end")
        return result + "</g>"
    }

    func x(_ value: Double) -> Double { plot.left + chart.x.position(value) * (plot.right - plot.left) }
    func y(_ value: Double) -> Double { plot.bottom - chart.y.position(value) * (plot.bottom - plot.top) }

    /// A label in the plot, if there is room for it at one of the places; else nothing: the legend or the page
    /// has it too.
    mutating func label(_ text: String, at places: [LabelPlacer.Place]) -> Markup {
        guard !text.isEmpty, let place = labels.place(text, at: places) else { return .empty }
        let kind = Markup(stringLiteral: place.anchor.rawValue)
        return "<text class=\"note \(kind)\" x=\"\(place.x)\" y=\"\(place.y)\">\(text)</text>"
    }

    mutating func take(_ box: Box) { labels.take(box) }
}

extension ChartDrawing {
    private static let sign = 22.0

    /// The legend's entries in rows.
    private static func arranged(
        _ keys: [Chart.Key], width: Double
    ) -> [[(key: Chart.Key, x: Double, text: String)]] {
        var rows: [[(key: Chart.Key, x: Double, text: String)]] = []
        var x = 0.0
        for key in keys {
            let text = TextMetrics.cropped(key.text, to: width - sign)
            let length = sign + TextMetrics.width(text)
            if rows.isEmpty || x + length > width {
                rows.append([])
                x = 0
            }
            rows[rows.count - 1].append((key, x, text))
            x += length + 16
        }
        return rows
    }

    private var keys: Markup {
        var result: Markup = .empty
        for (number, row) in keyRows.enumerated() {
            let y = Self.height(head: headLines) + Double(number) * TextMetrics.lineHeight + 12
            for entry in row {
                result += Self.sign(entry.key, x: entry.x, y: y - 4)
                result += "<text x=\"\(entry.x + Self.sign)\" y=\"\(y)\">\(entry.text)</text>"
            }
        }
        return result
    }

    private static func sign(_ key: Chart.Key, x: Double, y: Double) -> Markup {
        switch key.sign {
        case .line: "<path class=\"\(key.look.line)\" d=\"M\(x) \(y)h16\"/>"
        case .area: "<rect class=\"\(key.look.area)\" x=\"\(x)\" y=\"\(y - 5)\" width=\"16\" height=\"10\"/>"
        case .shade: "<rect class=\"shade dark\" x=\"\(x)\" y=\"\(y - 5)\" width=\"16\" height=\"10\"/>"
        case .frontier: diamond(x + 8, y, key.look)
        case .mark: "<circle class=\"off \(key.look.line)\" cx=\"\(x + 8)\" cy=\"\(y)\" r=\"4.5\"/>"
        case .none: .empty
        }
    }

    static func diamond(_ x: Double, _ y: Double, _ look: Chart.Look) -> Markup {
        "<path class=\"\(look.area) on\" d=\"M\(x) \(y - 6)l6 6l-6 6l-6-6z\"/>"
    }
}

extension Chart.Look {
    /// The classes of a stroke and of a filling.
    var line: Markup { Markup(stringLiteral: "l l\(colour)" + (isDashed ? " dash" : "")) }
    var area: Markup { Markup(stringLiteral: "a a\(colour)") }
}
