import Analysis

/// Decode gross J/token against sustained tok/s: every run a row, the frontier marked, one section for each
/// setting within which runs may be ranked.
struct ParetoTable {
    /// The runs of one setting with what separates their energies.
    struct Section {
        var setting: Setting
        var rows: [RunRow]
        /// Run ids on a frontier.
        var frontier: Set<String>
        /// The runs that have both coordinates, by energy basis, in the order of the rows.
        var bases: [(basis: EnergyBasis, rows: [RunRow])]
    }

    static let column = "pareto"
    var sections: [Section]

    /// - Parameter sorted: false leaves the rows in the order given, because the user asked for one.
    init(_ runs: [(record: Record, path: String)], sorted: Bool = true) {
        let rows = runs.map { RunRow(record: $0.record, phase: .decode, path: $0.path) }
        var order: [Setting] = []
        var members: [Setting: [RunRow]] = [:]
        for row in rows {
            let setting = Setting(row.record)
            if members[setting] == nil { order.append(setting) }
            members[setting, default: []].append(row)
        }
        sections = order.map { Self.section($0, members[$0, default: []], sorted: sorted) }
    }

    /// Ids of all runs on a frontier.
    var frontier: Set<String> { sections.reduce(into: []) { $0.formUnion($1.frontier) } }

    /// A run's coordinates; nil when it lacks one or does not count.
    static func point(_ record: Record) -> ParetoFrontier.Point? {
        guard record.mark == nil, let cost = record.metrics.decode.gross.joulesPerToken.number,
            let benefit = record.metrics.sustained.number, cost.isFinite, benefit.isFinite
        else { return nil }
        return ParetoFrontier.Point(cost: cost, benefit: benefit)
    }

    /// Why a run has no place on a frontier; nil when it has both coordinates and counts.
    static func reason(_ record: Record) -> String? {
        if let mark = record.mark { return mark + (record.ending.map { " (\($0))" } ?? "") }
        if let why = record.metrics.decode.gross.joulesPerToken.reason { return why }
        return record.metrics.sustained.reason
    }

    private static func section(_ setting: Setting, _ rows: [RunRow], sorted: Bool) -> Section {
        let rows = sorted ? rows.sorted(by: comesFirst) : rows
        var order: [EnergyBasis] = []
        var members: [EnergyBasis: [RunRow]] = [:]
        for row in rows where point(row.record) != nil {
            guard let basis = EnergyBasis(row.record) else { continue }
            if members[basis] == nil { order.append(basis) }
            members[basis, default: []].append(row)
        }
        var frontier: Set<String> = []
        for group in members.values {
            for index in ParetoFrontier.indices(of: group.compactMap { point($0.record) }) {
                frontier.insert(group[index].record.id)
            }
        }
        return Section(
            setting: setting, rows: rows, frontier: frontier,
            bases: order.map { ($0, members[$0, default: []]) })
    }

    /// By rising J/token, then by falling rate; runs without a point come last, by id.
    private static func comesFirst(_ left: RunRow, _ right: RunRow) -> Bool {
        switch (point(left.record), point(right.record)) {
        case (let a?, let b?):
            if a.cost != b.cost { return a.cost < b.cost }
            if a.benefit != b.benefit { return a.benefit > b.benefit }
            return left.record.id < right.record.id
        case (_?, nil): return true
        case (nil, _?): return false
        case (nil, nil): return left.record.id < right.record.id
        }
    }
}

extension ParetoTable {
    /// All sections as text.
    func text(_ place: Place) -> String {
        sections.map { section($0, place) }.joined(separator: "\n")
    }

    private func section(_ section: Section, _ place: Place) -> String {
        let table = RunTable(rows: section.rows, extra: [Self.mark(section)])
        var text = sections.count > 1 ? place.line(section.setting.text) + "\n\n" : ""
        text += place.grid(table.grid(place)) + "\n"
        for line in table.notes(place) + Self.summary(section, place) { text += place.note(line) }
        for (basis, rows) in section.bases where rows.count > 1 {
            let title = section.bases.count > 1 ? place.line(basis.text) + "\n" : ""
            text += "\n" + place.verbatim(title + plot(rows, frontier: section.frontier))
        }
        return text
    }

    /// The column that marks the runs on a frontier.
    static func mark(_ section: Section) -> Column {
        Column(title: column, key: column, right: false) { row in
            section.frontier.contains(row.record.id) ? .number(shown: "*", value: 0, spread: false) : .blank
        }
    }

    /// What stands below a section's table.
    static func summary(_ section: Section, _ place: Place) -> [String] {
        let points = section.bases.reduce(0) { $0 + $1.rows.count }
        if points == 0 {
            var reasons: [String] = []
            for row in section.rows {
                if let why = reason(row.record), !reasons.contains(why) { reasons.append(why) }
            }
            let why = reasons.map(place.line).joined(separator: "; ")
            return ["no frontier: no run has both decode J/tok gross and sustained t/s: " + why]
        }
        var lines = [
            "frontier (*) of decode J/tok gross (lower) against sustained t/s (higher): "
                + "\(section.frontier.count) of \(points) run\(points == 1 ? "" : "s") with both"
        ]
        if section.bases.count > 1 {
            lines.append(
                "each energy coverage has a frontier of its own: its joules are not those of another")
        }
        return lines
    }

    private func plot(_ rows: [RunRow], frontier: Set<String>) -> String {
        let marks = rows.compactMap { row -> ScatterPlot.Mark? in
            guard let point = Self.point(row.record) else { return nil }
            return .init(
                x: point.cost, y: point.benefit, symbol: frontier.contains(row.record.id) ? "*" : "o")
        }
        return ScatterPlot(marks: marks, xTitle: "J/tok gross, decode", yTitle: "sustained t/s").text
    }
}
