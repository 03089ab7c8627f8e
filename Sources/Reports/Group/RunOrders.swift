import Analysis

/// Three orders of the same runs side by side, burst, sustained and J/token, and where they contradict one another.
struct RunOrders {
    struct Order {
        var measure: ParetoMeasure
        /// Which joules, where there are several kinds; "" otherwise.
        var mark: String
        /// Best first.
        var places: [(run: Run, value: Double)]
    }

    /// Differences below this between sessions are never stated as differences (METRICS, "Intervals").
    private static let margin = 0.05
    private static let mostPlaces = 20
    private static let mostInversions = 12

    let orders: [Order]
    /// What the marks mean.
    let bases: [String]
    private let names: RunNames

    /// - Parameter runs: of one setting. Those that do not count are in no order.
    init(_ runs: [Run]) {
        let counted = runs.filter { $0.digest.mark == nil && Setting($0.digest).isRanked }
        names = RunNames(counted)
        var result = ["burst", "sustained"].compactMap { key in
            ParetoMeasure.all.first { $0.key == key }.map { Self.order($0, "", counted) }
        }
        var order: [EnergyBasis] = []
        var members: [EnergyBasis: [Run]] = [:]
        for run in counted {
            guard let basis = EnergyBasis(run.digest) else { continue }
            if members[basis] == nil { order.append(basis) }
            members[basis, default: []].append(run)
        }
        let joules = ParetoMeasure.all[0]
        result += order.enumerated().map { number, basis in
            Self.order(
                joules, order.count > 1 ? " (\(number + 1))" : "", members[basis, default: []])
        }
        bases =
            order.count > 1
            ? order.enumerated().map { "(\($0.offset + 1)) energy of \($0.element.text)" } : []
        orders = result.filter { !$0.places.isEmpty }
    }

    private static func order(_ measure: ParetoMeasure, _ mark: String, _ runs: [Run]) -> Order {
        let places = runs.compactMap { run in
            measure.figure(run.digest).number.map { (run: run, value: $0) }
        }.filter(\.value.isFinite).sorted { left, right in
            if left.value == right.value { return left.run.digest.id < right.run.digest.id }
            return (left.value < right.value) == measure.lessIsBetter
        }
        return Order(measure: measure, mark: mark, places: places)
    }

    /// Whether there is anything to put in an order.
    var isWorthShowing: Bool { orders.contains { $0.places.count > 1 } }

    /// A place a row: for each order the run and its value. "~" stands where the one above is no better by 5 %.
    func grid(_ place: Place) -> Grid {
        let columns =
            [Grid.Column(title: "place", right: true)]
            + orders.flatMap { order in
                [
                    Grid.Column(title: "by \(order.measure.name)\(order.mark)", right: false),
                    Grid.Column(title: order.measure.unit, right: true),
                ]
            }
        let count = min(orders.map(\.places.count).max() ?? 0, Self.mostPlaces)
        let rows = (0..<count).map { number -> [String] in
            ["\(number + 1)"]
                + orders.flatMap { order -> [String] in
                    guard number < order.places.count else { return ["", ""] }
                    let (run, value) = order.places[number]
                    let figure = order.measure.figure(run.digest)
                    let isClose = number > 0 && Self.isClose(order.places[number - 1].value, value)
                    return [
                        (isClose ? "~ " : "") + place.cell(names.name(run)),
                        Notation.figure(figure, scale: order.measure.scale, spread: false) ?? "n/a",
                    ]
                }
        }
        return Grid(columns: columns, rows: rows)
    }

    private static func isClose(_ left: Double, _ right: Double) -> Bool {
        (left - right).magnitude <= margin * max(left.magnitude, right.magnitude)
    }

    /// What stands below: the marks, what was left out, and every inversion.
    func notes(_ place: Place) -> [String] {
        let longest = orders.map(\.places.count).max() ?? 0
        var lines = bases.map(place.line)
        if orders.contains(where: { order in
            zip(order.places, order.places.dropFirst()).prefix(Self.mostPlaces - 1).contains {
                Self.isClose($0.value, $1.value)
            }
        }) {
            lines.append("~ within 5 % of the one above: no difference between sessions")
        }
        if longest > Self.mostPlaces { lines.append("and \(longest - Self.mostPlaces) more places") }
        let found = inversions
        if found.isEmpty { return lines + ["no inversion: no order contradicts another by more than 5 %"] }
        lines += found.prefix(Self.mostInversions).map { "inversion: " + place.line($0) }
        let left = found.count - Self.mostInversions
        return lines + (left > 0 ? ["and \(left) more inversions"] : [])
    }

    /// Pairs of runs of which each leads in one order, by more than what sessions differ by anyhow; among the runs
    /// that are shown.
    var inversions: [String] {
        var shown: [Run] = []
        var seen: Set<String> = []
        for order in orders {
            for entry in order.places.prefix(Self.mostPlaces) where seen.insert(entry.run.digest.id).inserted
            {
                shown.append(entry.run)
            }
        }
        let values = orders.map { order in
            Dictionary(
                order.places.map { ($0.run.digest.id, $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        var result: [String] = []
        for (index, first) in shown.enumerated() {
            for second in shown[(index + 1)...] {
                if let text = inversion(first, second, values) { result.append(text) }
            }
        }
        return result
    }

    private func inversion(_ first: Run, _ second: Run, _ values: [[String: Double]]) -> String? {
        var ahead: [String] = []
        var behind: [String] = []
        for (order, known) in zip(orders, values) {
            guard let a = known[first.digest.id], let b = known[second.digest.id], !Self.isClose(a, b) else {
                continue
            }
            let text =
                "\(order.measure.name)\(order.mark) (\(Notation.plain(a * order.measure.scale)) against "
                + "\(Notation.plain(b * order.measure.scale)))"
            if (a < b) == order.measure.lessIsBetter { ahead.append(text) } else { behind.append(text) }
        }
        guard !ahead.isEmpty, !behind.isEmpty else { return nil }
        return
            "\(names.name(first)) is ahead of \(names.name(second)) by \(ahead.joined(separator: " and ")), "
            + "behind it by \(behind.joined(separator: " and "))"
    }
}

/// Names that tell the runs of a setting apart: the run's own, and its label or what it differs in.
struct RunNames {
    private let showsModel: Bool
    private let parameters: [EngineParameter]

    init(_ runs: [Run]) {
        showsModel = Set(runs.map { $0.digest.modelName.value ?? "" }).count > 1
        parameters = EngineParameter.all.filter { parameter in
            Set(runs.map { parameter.value(in: $0.digest)?.text ?? "" }).count > 1
        }
    }

    func name(_ run: Run) -> String {
        let digest = run.digest
        let told =
            digest.label.map { [$0] }
            ?? [showsModel ? digest.modelName.value : nil].compactMap(\.self)
            + parameters.compactMap { parameter in
                parameter.value(in: digest).map { "\(parameter.title) \($0.text)" }
            }
        return told.isEmpty ? run.name : "\(run.name) (\(told.joined(separator: ", ")))"
    }
}
