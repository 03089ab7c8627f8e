import Analysis

/// One column of the run table: its title, how its values are ordered, and its cell for a row.
struct Column: Sendable {
    /// Which values come first when the table is sorted by the column.
    enum Order: Sendable { case lowFirst, highFirst }

    var title: String
    /// The name in exports, which `--sort` takes as well.
    var key: String
    var right = true
    var order: Order = .lowFirst
    var cell: @Sendable (RunRow) -> Cell

    /// The columns for these runs: llama-bench's in its order, then ours; `label`, `status` and `run` last,
    /// each only where it tells runs apart.
    static func columns(for records: [Record]) -> [Column] {
        let parameters = EngineParameter.all.filter { $0.isShown(for: records) }.map { parameter in
            Column(title: parameter.title, key: parameter.export) { parameter.cell($0.record) }
        }
        return identity + parameters + [test, rate] + ours + trailing(for: records)
    }

    /// The columns before the engine's parameters.
    static let identity: [Column] = [
        Column(title: "model", key: "model_type", right: false) { Cell($0.record.modelName) { .text($0) } },
        Column(title: "size", key: "model_size") { row in
            Cell(row.record.modelBytes) {
                .number(shown: Notation.bytes(Double($0)), value: Double($0), spread: false)
            }
        },
        Column(title: "params", key: "model_n_params") { row in
            guard let artifact = row.record.artifact.value else {
                return .missing(row.record.artifact.reason ?? "no artifact")
            }
            return Cell(artifact.parameters) {
                .number(shown: Notation.parameters($0), value: Double($0), spread: false)
            }
        },
        Column(title: "backend", key: "backends", right: false) {
            Cell($0.record.backendNames) { .text($0) }
        },
    ]

    static let test = Column(title: "test", key: "test") { .text($0.test) }

    static let rate = Column(title: "t/s", key: "tokens_per_second", order: .highFirst) {
        Cell($0.metrics.tokensPerSecond, decimals: 2)
    }

    /// Ours: energy of the row's own phase; what is true of the whole run stands in the decode row.
    static let ours: [Column] = [
        energy("W", "watts") { $0.gross.watts },
        energy("J/tok gross", "joules_per_token_gross") { $0.gross.joulesPerToken },
        energy("net", "joules_per_token_net") { $0.net.joulesPerToken },
        ofRun("burst", "burst", .highFirst) { Cell($0.metrics.burst) },
        ofRun("sustained", "sustained", .highFirst) { Cell($0.metrics.sustained) },
        ofRun("kept", "retained", .highFirst) {
            Cell($0.metrics.retained, scale: 100, decimals: 1, suffix: " %")
        },
        ofRun("peak mem", "peak_rss_bytes", .lowFirst) { record in
            guard let bytes = record.memory.peakRSSBytes.number, bytes.isFinite else {
                return .missing(record.memory.peakRSSBytes.reason ?? "not a finite number")
            }
            return .number(shown: Notation.bytes(bytes), value: bytes, spread: false)
        },
    ]

    /// Energy of a total that lacks a part of the machine is marked.
    private static func energy(
        _ title: String, _ key: String, _ figure: @escaping @Sendable (PhaseMetrics) -> Figure
    ) -> Column {
        Column(title: title, key: key) { row in
            Cell(figure(row.metrics), suffix: row.record.deadSources.isEmpty ? "" : Self.lackingMark)
        }
    }

    /// Explained below the table (`RunTable`).
    static let lackingMark = " †"

    private static func ofRun(
        _ title: String, _ key: String, _ order: Order, cell: @escaping @Sendable (Record) -> Cell
    ) -> Column {
        Column(title: title, key: key, order: order) { $0.isMain ? cell($0.record) : .blank }
    }

    private static func trailing(for records: [Record]) -> [Column] {
        var columns: [Column] = []
        if records.contains(where: { $0.label != nil }) {
            columns.append(
                Column(title: "label", key: "label", right: false) {
                    $0.record.label.map(Cell.text) ?? .blank
                })
        }
        if records.contains(where: { $0.mark != nil }) {
            columns.append(
                Column(title: "status", key: "status", right: false) {
                    $0.record.mark.map(Cell.text) ?? .blank
                })
        }
        if records.count > 1 {
            columns.append(Column(title: "run", key: "id", right: false) { .text($0.record.shortID) })
        }
        return columns
    }
}

extension Cell {
    /// The cell of a value that may be unavailable.
    init<Value>(_ value: Maybe<Value>, _ known: (Value) -> Cell) {
        switch value {
        case .known(let value): self = known(value)
        case .unavailable(let why): self = .missing(why.reason)
        }
    }
}
