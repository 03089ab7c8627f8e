import Analysis

/// The table of a comparison: a row a variant, the reference first.
struct SessionTable {
    let grid: Grid

    /// What the table holds of each variant, with its change against the reference.
    static func metrics(_ session: SessionDocument) -> [ComparedMetric] {
        session.runs == nil
            ? [.prefillRate, .decodeRate, .decodeEnergy, .cycleEnergy, .peakMemory]
            : [.decodeRate, .burst, .sustained, .retained, .decodeEnergy, .cycleEnergy, .peakMemory]
    }

    /// - Parameter safe: makes a text from outside fit for the place.
    init(_ session: SessionDocument, _ safe: (String) -> String) {
        let metrics = Self.metrics(session)
        let reference = session.variants.filter { $0.name == session.reference }
        let others = session.variants.filter { $0.name != session.reference }
        let rows = (reference + others).map { variant -> [String] in
            let comparison = session.comparisons.first { $0.variant == variant.name }
            var row = [safe(variant.name), comparison.map { String($0.quads) } ?? ""]
            for metric in metrics {
                row += [Self.value(metric, variant), Self.change(metric, comparison)]
            }
            return row + [comparison == nil ? "" : variant.parity.value?.verdict.words ?? "not checked"]
        }
        var columns = [
            Grid.Column(title: "variant", right: false),
            Grid.Column(title: session.runs == nil ? "quads" : "pairs", right: true),
        ]
        for metric in metrics {
            columns += [
                Grid.Column(title: Self.title(metric), right: true),
                Grid.Column(title: "change", right: false),
            ]
        }
        columns.append(Grid.Column(title: "parity", right: false))
        grid = Grid(columns: columns, rows: rows)
    }

    private static func title(_ metric: ComparedMetric) -> String {
        switch metric {
        case .prefillRate: "prefill t/s"
        case .decodeRate: "decode t/s"
        case .decodeEnergy: "decode J/t"
        case .cycleEnergy: "cycle J/t"
        case .burst: "burst t/s"
        case .sustained: "sustained t/s"
        case .retained: "kept %"
        default: "peak memory"
        }
    }

    private static func value(_ metric: ComparedMetric, _ variant: SessionDocument.Variant) -> String {
        if metric == .peakMemory {
            return variant.memory.peakRSSBytes.number.map(Notation.bytes) ?? "n/a"
        }
        if metric == .retained {
            return variant.figures[metric.rawValue]?.number.map { fixed($0 * 100, decimals: 1) } ?? "n/a"
        }
        return variant.figures[metric.rawValue].flatMap { Notation.figure($0, spread: false) } ?? "n/a"
    }

    /// "-8.1 % (-9.0 to -7.2)", "none (1.2 %)" with what would have been detected, "n/a".
    private static func change(
        _ metric: ComparedMetric, _ comparison: SessionDocument.Comparison?
    ) -> String {
        guard let comparison else { return "reference" }
        guard let effect = comparison.effects[metric.rawValue]?.value,
            case .value(let ratio, let interval, _) = effect.ratio
        else { return "n/a" }
        guard effect.verdict == SessionDocument.Effect.different else {
            return "none (< \(fixed(effect.minimumDetectable * 100, decimals: 1)) %)"
        }
        guard metric != .peakMemory, case .bounds(let low, let high) = interval else {
            return "\(signed(ratio - 1)) %"
        }
        return "\(signed(ratio - 1)) % (\(signed(low - 1)) to \(signed(high - 1)))"
    }

    /// A share as per cent with its sign, "+3.1".
    static func signed(_ share: Double) -> String {
        (share >= 0 ? "+" : "") + fixed(share * 100, decimals: 1)
    }
}
