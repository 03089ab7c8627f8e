import Analysis

/// The windows of a run, one row each: seconds, tokens, rate, power and energy.
struct PhaseBlock {
    /// Which columns have a meaning for a window.
    private enum Kind {
        /// No work: power and energy alone.
        case idle
        /// Work without tokens.
        case load
        case tokens
    }

    private var rows: [(name: String, kind: Kind, metrics: PhaseMetrics)]

    init(_ metrics: Metrics) {
        rows = [
            ("idle", .idle, metrics.idle),
            ("load cold", .load, metrics.loadCold),
            ("load warm", .load, metrics.loadWarm),
            ("first token", .tokens, metrics.firstToken),
            ("loaded idle", .idle, metrics.loadedIdle),
            ("from idle, prefill", .tokens, metrics.fromIdle.prefill),
            ("from idle, decode", .tokens, metrics.fromIdle.decode),
            ("prefill", .tokens, metrics.prefill),
            ("decode", .tokens, metrics.decode),
            ("cycle", .tokens, metrics.cycle),
        ]
    }

    private static let titles = ["seconds", "tokens", "t/s", "W", "J", "J/tok gross", "net"]

    /// The cells of one window under `titles`.
    private func cells(_ kind: Kind, _ metrics: PhaseMetrics) -> [Cell] {
        let seconds = Cell(metrics.seconds) { value in
            let decimals = Notation.significantDecimals(value, digits: 4)
            return .number(shown: fixed(value, decimals: min(decimals, 3)), value: value, spread: false)
        }
        let energy = [Cell(metrics.gross.watts), Cell(metrics.gross.joules)]
        guard kind == .tokens else { return [seconds, .blank, .blank] + energy + [.blank, .blank] }
        let tokens = Cell(metrics.tokens) { value in
            .number(shown: Notation.count(UInt64(clamping: value)), value: Double(value), spread: false)
        }
        return [seconds, tokens, Cell(metrics.tokensPerSecond, decimals: 2)] + energy
            + [Cell(metrics.gross.joulesPerToken), Cell(metrics.net.joulesPerToken)]
    }

    /// The block and the lines below it.
    func text() -> (grid: Grid, notes: [String]) {
        var notes = Footnotes()
        var spread = false
        let lines = rows.map { row in
            let cells = cells(row.kind, row.metrics)
            for (title, cell) in zip(Self.titles, cells) {
                spread = spread || cell.hasSpread
                guard case .missing(let reason) = cell else { continue }
                notes.add(reason: reason, column: title, owner: row.name)
            }
            return [row.name] + cells.map { $0.shown { $0 } }
        }
        let columns =
            [Grid.Column(title: "window", right: false)] + Self.titles.map { .init(title: $0, right: true) }
        let reasons = notes.lines(of: rows.count, noun: "window", escape: Place.terminal.line)
        return (Grid(columns: columns, rows: lines), reasons + RunTable.legend(spread: spread))
    }
}
