import Analysis

extension Chart {
    mutating func add(line: [[Point]], _ look: Look, _ name: String) {
        guard !line.isEmpty else { return }
        layers.append(.line(line, look))
        legend.append(Key(sign: .line, look: look, text: name))
    }

    /// A figure as a level, its interval faint about it; nothing where it is unavailable: its reason stands
    /// beside the chart.
    mutating func add(
        level figure: Figure, _ name: String, _ unit: String, _ look: Look, over stretch: ClosedRange<Double>?
    ) {
        guard let value = figure.number, let shown = Notation.figure(figure) else { return }
        let (from, to) = (stretch?.lowerBound, stretch?.upperBound)
        if case .value(_, .bounds(let low, let high), _) = figure {
            let begin = from ?? x.range.lowerBound
            let end = to ?? x.range.upperBound
            layers.append(.area([(begin, low, high), (end, low, high)], look, faint: true))
        }
        layers.append(.level(value, look, from: from, to: to, name: name))
        let when = stretch.map {
            " (\(fixed($0.lowerBound, decimals: 0)) to \(fixed($0.upperBound, decimals: 0)) s)"
        }
        legend.append(Key(sign: .line, look: look, text: "\(name) \(shown)\(unit)" + (when ?? "")))
    }
}

extension Course {
    var chartPoints: [[Chart.Point]] { stretches.map { $0.map { Chart.Point(x: $0.seconds, y: $0.value) } } }
}

extension Figure {
    /// Its number and the ends of its interval, as far as it has them.
    var ends: [Double] {
        guard case .value(let value, let interval, _) = self else { return [] }
        if case .bounds(let low, let high) = interval { return [low, value, high] }
        return [value]
    }
}
