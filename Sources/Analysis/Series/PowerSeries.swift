/// The power of the total's sources over a run, in cells of one length: what a stacked chart draws.
public struct PowerSeries: Sendable, Hashable {
    public struct Cell: Sendable, Hashable {
        /// Seconds since the trace's start.
        public var begin: Double
        public var end: Double
        /// Mean power of each source, in the order of `sources`.
        public var watts: [Double]
        /// Least and greatest sum over the cells that were put together to this one.
        public var low: Double
        public var high: Double

        public init(begin: Double, end: Double, watts: [Double]) {
            self.begin = begin
            self.end = end
            self.watts = watts
            low = watts.reduce(0, +)
            high = low
        }

        public var total: Double { watts.reduce(0, +) }
    }

    public var sources: [String]
    /// Length of the cells as they were computed, seconds.
    public var step: Double
    /// Cells that follow one another; between stretches the power of a source is not known, and the sum of the
    /// others would be another total.
    public var stretches: [[Cell]]

    public init(sources: [String], step: Double, stretches: [[Cell]]) {
        self.sources = sources
        self.step = step
        self.stretches = stretches
    }

    public var cells: some Sequence<Cell> { stretches.lazy.joined() }

    /// At most about `most` cells, each the mean of as many in a row, with their extremes.
    public func gathered(most: Int) -> PowerSeries {
        let count = stretches.reduce(0) { $0 + $1.count }
        let each = max(1, (count + most - 1) / max(1, most))
        guard each > 1 else { return self }
        return PowerSeries(
            sources: sources, step: step,
            stretches: stretches.map { cells in
                stride(from: 0, to: cells.count, by: each).map { first in
                    Self.joined(cells[first..<min(first + each, cells.count)])
                }
            })
    }

    private static func joined(_ cells: ArraySlice<Cell>) -> Cell {
        let begin = cells.first?.begin ?? 0
        let end = cells.last?.end ?? begin
        let sources = cells.first?.watts.indices ?? 0..<0
        let means = sources.map { source in
            let joules = cells.reduce(0) { $0 + $1.watts[source] * ($1.end - $1.begin) }
            return end > begin ? joules / (end - begin) : cells.first?.watts[source] ?? 0
        }
        var result = Cell(begin: begin, end: end, watts: means)
        result.low = cells.map(\.low).min() ?? result.low
        result.high = cells.map(\.high).max() ?? result.high
        return result
    }
}

extension PowerSeries {
    /// Shortest cell, seconds, and how many update periods of the slowest counter one holds at least: the
    /// moment of an update is known to a period, which would be a tenth of a cell.
    private static let shortestCell = 1.0
    private static let periodsInCell = 10.0
    private static let mostCells = 3_000.0

    /// From the first sample to the last; the reason where nothing counts energy.
    static func of(_ trace: Trace, _ ledger: EnergyLedger) -> Result<PowerSeries, Unavailable> {
        guard !ledger.included.isEmpty else {
            return .failure(Unavailable(ledger.total.unavailable ?? "no energy source"))
        }
        guard let first = trace.samples.first?.time, let last = trace.samples.last?.time, last > first else {
            return .failure(Unavailable("the trace has no samples"))
        }
        let whole = (last - first).seconds.value
        let periods = ledger.included.map { source in
            (source.period ?? 0) * (source.gauge == nil ? periodsInCell : 1)
        }
        let step = max(shortestCell, periods.max() ?? 0, whole / mostCells).rounded(.up)
        var stretches: [[Cell]] = []
        var open: [Cell] = []
        for number in 0..<Int(whole / step) {
            let begin = first + Nanoseconds(Seconds(Double(number) * step))
            let span = Span(begin: begin, end: begin + Nanoseconds(Seconds(step)))
            let watts = ledger.included.compactMap { source in
                source.energy(over: [span], judged: false).value.map { $0.joules / span.seconds }
            }
            if watts.count == ledger.included.count {
                let since = (begin - trace.header.start).seconds.value
                open.append(Cell(begin: since, end: since + span.seconds, watts: watts))
            } else if !open.isEmpty {
                stretches.append(open)
                open = []
            }
        }
        if !open.isEmpty { stretches.append(open) }
        guard !stretches.isEmpty else {
            return .failure(Unavailable("no stretch of \(short(step)) s in which every source was read"))
        }
        return .success(
            PowerSeries(sources: ledger.included.map(\.line.id), step: step, stretches: stretches))
    }
}
