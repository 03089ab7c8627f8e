extension ChartDrawing {
    /// One layer without its names.
    mutating func layer(_ layer: Chart.Layer) -> Markup {
        switch layer {
        case .line(let stretches, let look): return stretches.map { line($0, look) }.joined()
        case .area(let points, let look, let faint): return area(points, look, faint: faint)
        case .bars(let bars, let look):
            return bars.map { bar in
                let (left, right, top) = (x(bar.from), x(bar.to), y(bar.height))
                return """
                    <rect class="\(look.area)" x="\(left)" y="\(top)" width="\(max(right - left, 0.1))" \
                    height="\(plot.bottom - top)"/>
                    """
            }.joined()
        case .shade(let from, let to, _, let dark):
            let kind: Markup = dark ? "shade dark" : "shade"
            return """
                <rect class="\(kind)" x="\(x(from))" y="\(plot.top)" width="\(x(to) - x(from))" \
                height="\(plot.bottom - plot.top)"/>
                """
        case .level(let value, let look, let from, let to, _):
            let left = from.map { x($0) } ?? plot.left
            let right = to.map { x($0) } ?? plot.right
            let kind: Markup = from == nil ? "thin" : "thick"
            return "<path class=\"\(look.line) \(kind)\" d=\"M\(left) \(y(value))H\(right)\"/>"
        case .moment(let value, let look, _):
            return "<path class=\"\(look.line)\" d=\"M\(x(value)) \(plot.top)V\(plot.bottom)\"/>"
        case .marks(let marks, let look): return self.marks(marks, look)
        }
    }

    private func line(_ points: [Chart.Point], _ look: Chart.Look) -> Markup {
        // A stretch of one point would be a line of no length.
        if points.count == 1, let only = points.first {
            return "<circle class=\"\(look.area)\" cx=\"\(x(only.x))\" cy=\"\(y(only.y))\" r=\"2\"/>"
        }
        let places = points.map { point -> Markup in "\(x(point.x)),\(y(point.y))" }.joined(" ")
        return "<polyline class=\"\(look.line)\" points=\"\(places)\"/>"
    }

    private func area(
        _ points: [(x: Double, low: Double, high: Double)], _ look: Chart.Look, faint: Bool
    ) -> Markup {
        let above = points.map { point -> Markup in "\(x(point.x)),\(y(point.high))" }
        let below = points.reversed().map { point -> Markup in "\(x(point.x)),\(y(point.low))" }
        let kind: Markup = faint ? " faint" : ""
        return "<polygon class=\"\(look.area)\(kind)\" points=\"\((above + below).joined(" "))\"/>"
    }

    private mutating func marks(_ marks: [Chart.Mark], _ look: Chart.Look) -> Markup {
        var result: Markup = .empty
        for mark in marks {
            let (x, y) = (x(mark.point.x), y(mark.point.y))
            take(Box(left: x - 6, top: y - 6, right: x + 6, bottom: y + 6))
            result += "<g><title>\(mark.detail)</title>"
            if let xs = mark.xs {
                result +=
                    "<path class=\"\(look.line) thin\" d=\"M\(self.x(xs.lowerBound)) \(y)H\(self.x(xs.upperBound))\"/>"
            }
            if let ys = mark.ys {
                result +=
                    "<path class=\"\(look.line) thin\" d=\"M\(x) \(self.y(ys.lowerBound))V\(self.y(ys.upperBound))\"/>"
            }
            result +=
                mark.isOnFrontier
                ? Self.diamond(x, y, look)
                : "<circle class=\"off \(look.line)\" cx=\"\(x)\" cy=\"\(y)\" r=\"4.5\"/>"
            result += "</g>"
        }
        return result
    }

    /// The names of a layer, written last so that nothing is drawn over them.
    mutating func name(_ layer: Chart.Layer) -> Markup {
        switch layer {
        case .line, .area, .bars: return .empty
        case .shade(let from, let to, let name, _):
            let (left, right) = (x(from), x(to))
            guard right - left >= TextMetrics.width(name) else { return .empty }
            return label(name, at: [.init(x: (left + right) / 2, y: plot.top + 13, anchor: .middle)])
        case .level(let value, _, let from, let to, let name):
            let y = y(value)
            let left = from.map { x($0) } ?? plot.left
            let right = to.map { x($0) } ?? plot.right
            return label(
                name,
                at: [
                    .init(x: right, y: y - 5, anchor: .end), .init(x: left, y: y - 5, anchor: .start),
                    .init(x: right, y: y + 14, anchor: .end), .init(x: left, y: y + 14, anchor: .start),
                ])
        case .moment(let value, _, let name):
            let x = x(value)
            return label(
                name,
                at: [0, 1, 2, 3].flatMap { row in
                    let y = plot.bottom - 6 - Double(row) * TextMetrics.lineHeight
                    return [
                        LabelPlacer.Place(x: x + 4, y: y, anchor: .start),
                        LabelPlacer.Place(x: x - 4, y: y, anchor: .end),
                    ]
                })
        case .marks(let marks, _):
            return marks.map { mark in
                let (x, y) = (x(mark.point.x), y(mark.point.y))
                return label(
                    mark.label,
                    at: [
                        .init(x: x + 9, y: y - 7, anchor: .start), .init(x: x + 9, y: y + 15, anchor: .start),
                        .init(x: x - 9, y: y - 7, anchor: .end), .init(x: x - 9, y: y + 15, anchor: .end),
                        .init(x: x, y: y - 12, anchor: .middle), .init(x: x, y: y + 20, anchor: .middle),
                        .init(x: x + 4, y: y - 26, anchor: .start), .init(x: x - 4, y: y - 26, anchor: .end),
                        .init(x: x + 4, y: y - 44, anchor: .start), .init(x: x - 4, y: y - 44, anchor: .end),
                    ])
            }.joined()
        }
    }
}
