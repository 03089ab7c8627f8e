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

    /// The columns for these runs: llama-bench's in its order, then ours; `label`, `status`, `runs` and `run` last,
    /// each only where it tells runs apart.
    static func columns(for runs: [Run]) -> [Column] {
        let parameters = EngineParameter.all.filter { $0.isShown(for: runs.map(\.digest)) }.map { parameter in
            Column(title: parameter.title, key: parameter.export) { parameter.cell($0.record) }
        }
        return identity + parameters + [test, rate] + ours + trailing(for: runs)
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
        Cell($0.metrics[.tokensPerSecond], decimals: 2)
    }

    /// Ours: energy of the row's own phase; what is true of the whole run stands in the decode row.
    static let ours: [Column] = [
        energy("W", "watts", .watts),
        energy("J/tok gross", "joules_per_token_gross", .joulesPerTokenGross),
        energy("net", "joules_per_token_net", .joulesPerTokenNet),
        ofRun("burst", "burst", .highFirst) { Cell($0[.burst]) },
        ofRun("sustained", "sustained", .highFirst) { Cell($0[.sustained]) },
        ofRun("kept", "retained", .highFirst) {
            Cell($0[.retained], scale: 100, decimals: 1, suffix: " %")
        },
        ofRun("peak mem", "peak_rss_bytes", .lowFirst) { record in
            guard let bytes = record[.peakRSS].number, bytes.isFinite else {
                return .missing(record[.peakRSS].reason ?? "not a finite number")
            }
            return .number(shown: Notation.bytes(bytes), value: bytes, spread: false)
        },
    ]

    /// Energy of a total that lacks a part of the machine is marked.
    private static func energy(_ title: String, _ key: String, _ figure: PhaseFigure) -> Column {
        Column(title: title, key: key) { row in
            Cell(row.metrics[figure], suffix: row.record.deadSources.isEmpty ? "" : Self.lackingMark)
        }
    }

    /// Explained below the table (`RunTable`).
    static let lackingMark = " †"

    private static func ofRun(
        _ title: String, _ key: String, _ order: Order, cell: @escaping @Sendable (RunDigest) -> Cell
    ) -> Column {
        Column(title: title, key: key, order: order) { $0.isMain ? cell($0.record) : .blank }
    }

    /// How many runs a row is the median of.
    private static let runs = Column(title: "runs", key: "runs", order: .highFirst) { row in
        let count = row.run.runs.count
        let doubt = row.run.isProvisional ? " (provisional)" : ""
        return .number(shown: "\(count)" + doubt, value: Double(count), spread: false)
    }

    private static func trailing(for runs: [Run]) -> [Column] {
        var columns: [Column] = []
        if runs.contains(where: { $0.digest.label != nil }) {
            columns.append(
                Column(title: "label", key: "label", right: false) {
                    $0.record.label.map(Cell.text) ?? .blank
                })
        }
        if runs.contains(where: { $0.digest.mark != nil }) {
            columns.append(
                Column(title: "status", key: "status", right: false) {
                    $0.record.mark.map(Cell.text) ?? .blank
                })
        }
        if runs.contains(where: { $0.runs.count > 1 }) { columns.append(Self.runs) }
        if runs.count > 1 {
            columns.append(Column(title: "run", key: "id", right: false) { .text($0.run.name) })
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
