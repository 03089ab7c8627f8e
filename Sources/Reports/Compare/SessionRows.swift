import Analysis

/// The flat exports of a comparison: a row a variant and metric.
struct SessionRows {
    private let rows: [[(key: String, value: JSONValue)]]

    init(_ session: SessionDocument) {
        rows = session.comparisons.flatMap { comparison in
            (session.runs == nil ? ComparedMetric.ofBlocks : ComparedMetric.allCases).map {
                Self.row($0, comparison, session)
            }
        }
    }

    private static func row(
        _ metric: ComparedMetric, _ comparison: SessionDocument.Comparison, _ session: SessionDocument
    ) -> [(key: String, value: JSONValue)] {
        func number(_ value: Double?) -> JSONValue { value.map(JSONValue.number) ?? .null }
        func figure(_ name: String) -> JSONValue {
            let variant = session.variants.first { $0.name == name }
            switch metric {
            case .peakMemory: return number(variant?.memory.peakRSSBytes.number)
            case .peakAnonymousMemory: return number(variant?.memory.peakAnonymousBytes.number)
            default: return number(variant?.figures[metric.rawValue]?.number)
            }
        }
        let found = comparison.effects[metric.rawValue]
        let effect = found?.value
        var bounds: (low: Double?, high: Double?) = (nil, nil)
        if case .value(_, .bounds(let low, let high), _)? = effect?.ratio { bounds = (low, high) }
        return [
            ("session", .string(session.id)), ("variant", .string(comparison.variant)),
            ("reference", .string(session.reference)), ("metric", .string(metric.rawValue)),
            ("reference_value", figure(session.reference)), ("value", figure(comparison.variant)),
            ("ratio", number(effect?.ratio.number)), ("ratio_low", number(bounds.low)),
            ("ratio_high", number(bounds.high)), ("floor", number(effect?.floor)),
            ("minimum_detectable", number(effect?.minimumDetectable)),
            ("verdict", .string(effect?.verdict ?? "unavailable")),
            ("quads", effect.map { .integer(Int64($0.quads)) } ?? .null),
            ("confounded", .bool(comparison.confounded)),
            ("parity", .string(Self.parity(comparison, session))),
            ("unavailable", found?.reason.map(JSONValue.string) ?? .null),
        ]
    }

    private static func parity(
        _ comparison: SessionDocument.Comparison, _ session: SessionDocument
    ) -> String {
        let variant = session.variants.first { $0.name == comparison.variant }
        return variant?.parity.value?.verdict.rawValue ?? "not_checked"
    }

    var csv: String {
        guard let first = rows.first else { return "" }
        let head = first.map(\.key).joined(separator: ",") + "\n"
        return head
            + rows.map { row in
                row.map { cell in
                    switch cell.value {
                    case .null: ""
                    case .string(let text): CellText.csv(text)
                    default: cell.value.text
                    }
                }.joined(separator: ",") + "\n"
            }.joined()
    }

    func jsonLines() throws(Failure) -> String {
        try JSONText.rows(
            rows.map { row in
                .object(Dictionary(uniqueKeysWithValues: row.map { ($0.key, $0.value) }))
            }, lines: true)
    }
}
