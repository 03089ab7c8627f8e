import Analysis

/// The frontier of energy against speed as pictures: one for each set of runs whose joules may be compared.
struct ParetoChart {
    /// Runs that a picture names in words.
    private static let mostTold = 40

    let table: ParetoTable
    /// The runs' numbers, by id, as the table beside the picture has them.
    let numbers: [String: Int]

    init(_ table: ParetoTable) {
        self.table = table
        let runs = table.sections.flatMap(\.runs)
        numbers = Dictionary(
            runs.enumerated().map { ($0.element.digest.id, $0.offset + 1) },
            uniquingKeysWith: { first, _ in first })
    }

    var charts: [Chart] { table.sections.flatMap(charts) }

    func charts(of section: ParetoTable.Section) -> [Chart] {
        section.bases.map { chart($0.runs, basis: $0.basis, section) }
    }

    private var axes: ParetoAxes { table.axes }

    private func chart(_ runs: [Run], basis: ParetoBasis, _ section: ParetoTable.Section) -> Chart {
        let marks = runs.compactMap { mark($0, section) }
        func ends(_ measure: ParetoMeasure) -> [Double] {
            runs.flatMap { measure.figure($0.digest).ends }.map { $0 * measure.scale }
        }
        let left = marks.count - Self.mostTold
        let told = marks.prefix(Self.mostTold).map(\.detail) + (left > 0 ? ["and \(left) more"] : [])
        let on = marks.count(where: \.isOnFrontier)
        func title(_ measure: ParetoMeasure) -> String {
            "\(measure.name): \(measure.lessIsBetter ? "lower" : "higher") is better"
        }
        var chart = Chart(
            title: "\(axes.x.name) against \(axes.y.name): \(section.setting.text)",
            description: "\(marks.count) runs, \(on) on the frontier: "
                + told.joined(separator: "; "),
            x: .values(title(axes.x), RunCharts.range(ends(axes.x))),
            y: .values(title(axes.y), RunCharts.range(ends(axes.y))))
        let frontier = marks.filter(\.isOnFrontier).map(\.point).sorted { ($0.x, $0.y) < ($1.x, $1.y) }
        if frontier.count > 1 { chart.layers.append(.line([stairs(frontier)], Chart.Look(2, dashed: true))) }
        chart.layers.append(.marks(marks, Chart.Look(0)))
        chart.legend = [
            .init(sign: .frontier, look: Chart.Look(0), text: "on the frontier"),
            .init(sign: .mark, look: Chart.Look(0), text: "off it"),
            .init(sign: .line, look: Chart.Look(2, dashed: true), text: "frontier"),
            .init(sign: .line, look: Chart.Look(0), text: "95 % interval"),
        ]
        if !basis.text.isEmpty {
            chart.legend.append(.init(sign: .none, look: Chart.Look(0), text: basis.text))
        }
        chart.footer = told
        return chart
    }

    /// The edge of what the frontier's points beat: its steps bulge away from the better corner.
    private func stairs(_ frontier: [Chart.Point]) -> [Chart.Point] {
        var stairs: [Chart.Point] = []
        for point in frontier {
            if let last = stairs.last {
                stairs.append(
                    axes.x.lessIsBetter ? .init(x: point.x, y: last.y) : .init(x: last.x, y: point.y))
            }
            stairs.append(point)
        }
        return stairs
    }

    private func mark(_ run: Run, _ section: ParetoTable.Section) -> Chart.Mark? {
        guard axes.point(run) != nil, let number = numbers[run.digest.id] else { return nil }
        let (x, y) = (axes.x.figure(run.digest), axes.y.figure(run.digest))
        guard let place = x.number, let height = y.number else { return nil }
        func bounds(_ figure: Figure, _ scale: Double) -> ClosedRange<Double>? {
            guard case .value(_, .bounds(let low, let high), _) = figure, low <= high else { return nil }
            return low * scale...high * scale
        }
        func told(_ figure: Figure, _ measure: ParetoMeasure) -> String {
            "\(Notation.figure(figure, scale: measure.scale) ?? "n/a") \(measure.unit)"
        }
        let name = [run.digest.label, run.digest.modelName.value, run.name].compactMap(\.self).joined(
            separator: ", ")
        return Chart.Mark(
            point: .init(x: place * axes.x.scale, y: height * axes.y.scale), xs: bounds(x, axes.x.scale),
            ys: bounds(y, axes.y.scale), isOnFrontier: section.frontier[run.digest.id] != nil,
            label: String(number), detail: "\(number) \(name): \(told(x, axes.x)), \(told(y, axes.y))")
    }
}
