import Analysis

/// Two figures against one another: every run a row, the frontier marked, one section for each setting within
/// which runs may be ranked.
struct ParetoTable {
    /// The runs of one setting with what keeps their figures apart.
    struct Section {
        var setting: Setting
        var runs: [Run]
        /// The symbols of the runs on a frontier, by id.
        var frontier: [String: Character]
        /// The runs that have both coordinates, by basis, in the order of the rows.
        var bases: [(basis: ParetoBasis, runs: [Run])]
    }

    static let column = "pareto"
    let axes: ParetoAxes
    var sections: [Section]

    /// - Parameter sorted: false leaves the rows in the order given, because the user asked for one.
    init(_ runs: [Run], axes: ParetoAxes, sorted: Bool = true) {
        var order: [Setting] = []
        var members: [Setting: [Run]] = [:]
        for run in runs {
            let setting = Setting(run.digest)
            if members[setting] == nil { order.append(setting) }
            members[setting, default: []].append(run)
        }
        self.axes = axes
        sections = order.map { Self.section($0, members[$0, default: []], axes, sorted: sorted) }
    }

    /// Ids of all runs on a frontier.
    var frontier: Set<String> { sections.reduce(into: []) { $0.formUnion($1.frontier.keys) } }

    private static func section(
        _ setting: Setting, _ runs: [Run], _ axes: ParetoAxes, sorted: Bool
    ) -> Section {
        let placed = runs.map { (run: $0, point: axes.point($0)) }
        let rows = sorted ? placed.sorted(by: comesFirst) : placed
        var order: [ParetoBasis] = []
        var members: [ParetoBasis: [(run: Run, point: ParetoFrontier.Point)]] = [:]
        for row in rows {
            guard let point = row.point else { continue }
            let basis = axes.basis(row.run)
            if members[basis] == nil { order.append(basis) }
            members[basis, default: []].append((row.run, point))
        }
        var frontier: [String: Character] = [:]
        for basis in order {
            let group = members[basis, default: []]
            for (place, index) in ParetoFrontier.indices(of: group.map(\.point)).enumerated() {
                frontier[group[index].run.digest.id] = symbol(place)
            }
        }
        return Section(
            setting: setting, runs: rows.map(\.run), frontier: frontier,
            bases: order.map { ($0, members[$0, default: []].map(\.run)) })
    }

    /// 1 to 9, then letters: the place on the frontier as the plot and the column show it.
    private static func symbol(_ place: Int) -> Character {
        let symbols = "123456789abcdefghijklmnpqrstuvwxyz"
        return symbols.dropFirst(place).first ?? "*"
    }

    /// By rising cost, then by falling benefit; runs without a point come last, by id.
    private static func comesFirst(
        _ left: (run: Run, point: ParetoFrontier.Point?), _ right: (run: Run, point: ParetoFrontier.Point?)
    ) -> Bool {
        switch (left.point, right.point) {
        case (let a?, let b?):
            if a.cost != b.cost { return a.cost < b.cost }
            if a.benefit != b.benefit { return a.benefit > b.benefit }
            return left.run.digest.id < right.run.digest.id
        case (_?, nil): return true
        case (nil, _?): return false
        case (nil, nil): return left.run.digest.id < right.run.digest.id
        }
    }
}

extension ParetoTable {
    /// The rows of a section: the phase that is ranked.
    static func rows(_ section: Section) -> [RunRow] {
        section.runs.map { RunRow(run: $0, phase: .decode) }
    }

    /// The column that marks the runs on a frontier: "*" and the symbol that the plot has.
    static func mark(_ section: Section) -> Column {
        Column(title: column, key: column, right: false) { row in
            guard let symbol = section.frontier[row.record.id] else { return .blank }
            return .number(shown: symbol == "*" ? "*" : "*\(symbol)", value: 0, spread: false)
        }
    }

    /// What stands below a section's table.
    func summary(_ section: Section, _ place: Place) -> [String] {
        let points = section.bases.reduce(0) { $0 + $1.runs.count }
        if points == 0 {
            var reasons: [String] = []
            for run in section.runs {
                if let why = axes.reason(run), !reasons.contains(why) { reasons.append(why) }
            }
            let told = reasons.prefix(Self.mostReasons).map(place.line).joined(separator: "; ")
            let left = reasons.count - Self.mostReasons
            return [
                "no frontier: no run has both \(axes.x.name) and \(axes.y.name): " + told
                    + (left > 0 ? "; and \(left) more reasons" : "")
            ]
        }
        let rows = section.runs.contains { $0.runs.count > 1 } ? "row" : "run"
        var lines = [
            "frontier (*) of \(axes.described): \(section.frontier.count) of \(points) "
                + "\(rows)\(points == 1 ? "" : "s") with both"
        ]
        if section.bases.count > 1 {
            let why =
                section.bases.contains { $0.basis.memory != section.bases[0].basis.memory }
                ? "each way to count memory has a frontier of its own"
                : "each energy coverage has a frontier of its own: its joules are not those of another"
            lines.append(why)
        }
        return lines
    }

    private static let mostReasons = 10

    /// The plot of one basis of a section.
    func plot(_ runs: [Run], _ section: Section, _ terminal: Terminal) -> String {
        let marks = runs.compactMap { run -> ScatterPlot.Mark? in
            guard let x = axes.x.figure(run.digest).number, let y = axes.y.figure(run.digest).number else {
                return nil
            }
            return .init(
                x: x * axes.x.scale, y: y * axes.y.scale, symbol: section.frontier[run.digest.id])
        }
        return ScatterPlot(marks: marks, xTitle: axes.x.name, yTitle: axes.y.name, terminal: terminal).text
    }
}
