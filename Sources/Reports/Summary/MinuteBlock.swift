import Analysis

/// The minutes of the sustained part, a row each, or so many of them as a reader takes in.
struct MinuteBlock {
    private static let mostRows = 12

    private let minutes: [Minute]

    /// - Parameter minutes: all of a record.
    init(_ minutes: [Minute]) { self.minutes = minutes }

    /// The rows shown: the first, the last, and evenly spread ones between them.
    private var shown: [Minute] {
        guard minutes.count > Self.mostRows else { return minutes }
        return (0..<Self.mostRows).map { minutes[$0 * (minutes.count - 1) / (Self.mostRows - 1)] }
    }

    private struct Column: Sendable {
        let title: String
        var scale = 1.0
        /// Nil for what the figure's interval, or four digits, say.
        var decimals: Int?
        let figure: @Sendable (Minute) -> Figure
    }

    private static let columns = [
        Column(title: "t/s") { $0.tokensPerSecond }, Column(title: "W") { $0.watts },
        Column(title: "J/tok") { $0.joulesPerToken },
        Column(title: "C", decimals: 1) { $0.temperature },
        Column(title: "MHz", scale: 1e-6, decimals: 0) { $0.clock },
        Column(title: "others", decimals: 2) { $0.contention.map(others) ?? .unavailable("not looked for") },
    ]

    /// Cores that others had.
    private static func others(_ contention: Maybe<Contention>) -> Figure {
        switch contention {
        case .unavailable(let why): return .unavailable(why)
        case .known(let contention):
            return contention.lostCores.map { .once($0, method: "cores") }
                ?? .unavailable("no source tells it")
        }
    }

    /// The block and the lines below it; nil for a run of less than two minutes, whose figures say as much.
    func text() -> (grid: Grid, notes: [String])? {
        guard minutes.count > 1 else { return nil }
        let rows = shown
        var notes = Footnotes()
        for column in Self.columns {
            for minute in rows {
                guard let reason = column.figure(minute).reason else { continue }
                notes.add(reason: reason, column: column.title, owner: "\(minute.minute + 1)")
            }
        }
        // What no minute has takes no column.
        let columns = Self.columns.filter { column in
            rows.contains { column.figure($0).number != nil }
        }
        let cells = rows.map { minute in
            [String(minute.minute + 1)]
                + columns.map {
                    Cell($0.figure(minute), scale: $0.scale, decimals: $0.decimals, spread: false).shown {
                        $0
                    }
                }
        }
        let titles = ["minute"] + columns.map(\.title)
        let left =
            rows.count < minutes.count
            ? ["\(rows.count) of \(minutes.count) minutes; the record has all"] : []
        return (
            Grid(columns: titles.map { .init(title: $0, right: true) }, rows: cells),
            notes.lines(of: rows.count, noun: "minute", escape: Place.terminal.line) + left
        )
    }
}
