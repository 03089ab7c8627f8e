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
        let rows = table.sections.flatMap(\.rows)
        numbers = Dictionary(
            rows.enumerated().map { ($0.element.record.id, $0.offset + 1) },
            uniquingKeysWith: { first, _ in first })
    }

    var charts: [Chart] { table.sections.flatMap(charts) }

    func charts(of section: ParetoTable.Section) -> [Chart] {
        section.bases.map { chart($0.rows, basis: $0.basis, section) }
    }

    private func chart(_ rows: [RunRow], basis: EnergyBasis, _ section: ParetoTable.Section) -> Chart {
        let marks = rows.compactMap { mark($0, section) }
        let costs = rows.flatMap { $0.record.metrics.decode.gross.joulesPerToken.ends }
        let rates = rows.flatMap { $0.record.metrics.sustained.ends }
        let left = marks.count - Self.mostTold
        let told = marks.prefix(Self.mostTold).map(\.detail) + (left > 0 ? ["and \(left) more"] : [])
        let on = marks.count(where: \.isOnFrontier)
        var chart = Chart(
            title: "Energy against speed: \(section.setting.text)",
            description: "\(marks.count) runs, \(on) on the frontier: "
                + told.joined(separator: "; "),
            x: .values("decode J/token, gross: lower is better", RunCharts.range(costs)),
            y: .values("sustained tok/s: higher is better", RunCharts.range(rates)))
        let frontier = marks.filter(\.isOnFrontier).map(\.point).sorted { ($0.x, $0.y) < ($1.x, $1.y) }
        var stairs: [Chart.Point] = []
        for point in frontier {
            if let last = stairs.last { stairs.append(.init(x: point.x, y: last.y)) }
            stairs.append(point)
        }
        if stairs.count > 1 { chart.layers.append(.line([stairs], Chart.Look(2, dashed: true))) }
        chart.layers.append(.marks(marks, Chart.Look(0)))
        chart.legend = [
            .init(sign: .frontier, look: Chart.Look(0), text: "on the frontier"),
            .init(sign: .mark, look: Chart.Look(0), text: "off it"),
            .init(sign: .line, look: Chart.Look(2, dashed: true), text: "frontier"),
            .init(sign: .line, look: Chart.Look(0), text: "95 % interval"),
            .init(sign: .none, look: Chart.Look(0), text: "energy of \(basis.text)"),
        ]
        chart.footer = told
        return chart
    }

    private func mark(_ row: RunRow, _ section: ParetoTable.Section) -> Chart.Mark? {
        let record = row.record
        guard let point = ParetoTable.point(record), let number = numbers[record.id] else { return nil }
        func bounds(_ figure: Figure) -> ClosedRange<Double>? {
            guard case .value(_, .bounds(let low, let high), _) = figure, low <= high else { return nil }
            return low...high
        }
        let (cost, rate) = (record.metrics.decode.gross.joulesPerToken, record.metrics.sustained)
        let name = [record.label, record.modelName.value, record.shortID].compactMap(\.self).joined(
            separator: ", ")
        return Chart.Mark(
            point: .init(x: point.cost, y: point.benefit), xs: bounds(cost), ys: bounds(rate),
            isOnFrontier: section.frontier.contains(record.id), label: String(number),
            detail:
                "\(number) \(name): \(Notation.figure(cost) ?? "n/a") J/token, \(Notation.figure(rate) ?? "n/a") tok/s"
        )
    }
}
