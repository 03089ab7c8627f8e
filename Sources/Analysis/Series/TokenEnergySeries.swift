/// Gross energy per generated token over the sustained part.
public struct TokenEnergySeries: Sendable, Hashable {
    public struct Cell: Sendable, Hashable {
        /// Seconds since t = 0 of the sustained part.
        public var begin: Double
        public var end: Double
        /// J/token with its 95 % bounds, nil where there are none.
        public var value: Double
        public var bounds: ClosedRange<Double>?

        public init(begin: Double, end: Double, value: Double, bounds: ClosedRange<Double>?) {
            self.begin = begin
            self.end = end
            self.value = value
            self.bounds = bounds
        }
    }

    /// Length of the cells, seconds.
    public var step: Double
    public var cells: [Cell]

    public init(step: Double, cells: [Cell]) {
        self.step = step
        self.cells = cells
    }
}

extension TokenEnergySeries {
    /// As the rolling rate: 10 s or 3 cycles, whichever is longer.
    private static let shortestCell = 10.0
    private static let cyclesInCell = 3.0
    private static let mostCells = 1_000.0

    static func of(_ part: SustainedPart, _ energy: EnergyAccount) -> Result<TokenEnergySeries, Unavailable> {
        let cycle = part.whole.isEmpty ? 0 : part.end / Double(part.whole.count)
        let step = max(shortestCell, cyclesInCell * cycle, part.end / mostCells).rounded(.up)
        var cells: [Cell] = []
        var why = Unavailable("the sustained part is shorter than \(short(step)) s")
        // A run ends a token before its deadline: the last cell may be shorter by up to a half.
        for number in 0..<max(0, Int((part.end / step).rounded())) {
            let begin = Double(number) * step
            let end = min(begin + step, part.end)
            let tokens = part.generated(after: begin, through: end)
            guard tokens > 0 else { continue }
            switch energy.ledger.energy(over: PhaseSpans(spans: [part.span(begin, end)], tokens: tokens))
            {
            case .failure(let reason): why = reason
            case .success(let joules):
                let each = 1 / Double(tokens)
                cells.append(
                    Cell(
                        begin: begin, end: end, value: joules.joules * each,
                        bounds: joules.low <= joules.high
                            ? joules.low * each...joules.high * each : nil))
            }
        }
        return cells.isEmpty ? .failure(why) : .success(TokenEnergySeries(step: step, cells: cells))
    }
}

extension SustainedPart {
    /// All tokens that came to be after `begin` and no later than `end`: first ones and decode steps.
    ///
    /// - Parameters: seconds since t = 0.
    func generated(after begin: Double, through end: Double) -> Int {
        let first = generations.count { generation in
            guard let time = generation.prefill?.end else { return false }
            return seconds(time) > begin && seconds(time) <= end
        }
        return first + steps.count(endingAfter: begin, through: end)
    }
}
