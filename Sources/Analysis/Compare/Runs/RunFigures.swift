/// What a whole run gives a comparison, by metric.
enum RunFigures {
    /// - Returns: of every metric the record's number, or why there is none.
    static func values(_ record: Record) -> [ComparedMetric: Maybe<Double>] {
        Dictionary(
            uniqueKeysWithValues: ComparedMetric.allCases.map { metric in
                let figure = figure(metric, record)
                return (metric, Maybe(figure.number, else: figure.reason ?? "no number"))
            })
    }

    private static func figure(_ metric: ComparedMetric, _ record: Record) -> Figure {
        let metrics = record.metrics
        return switch metric {
        case .decodeRate: metrics.decode.tokensPerSecond
        case .prefillRate: metrics.prefill.tokensPerSecond
        case .cycleRate: metrics.cycle.tokensPerSecond
        case .decodeEnergy: metrics.decode.gross.joulesPerToken
        case .prefillEnergy: metrics.prefill.gross.joulesPerToken
        case .cycleEnergy: metrics.cycle.gross.joulesPerToken
        case .decodeNetEnergy: metrics.decode.net.joulesPerToken
        case .cycleNetEnergy: metrics.cycle.net.joulesPerToken
        case .decodePower: metrics.decode.gross.watts
        case .timeToFirstToken: metrics.timeToFirstToken.p50
        case .burst: metrics.burst
        case .sustained: metrics.sustained
        case .retained: metrics.retained
        case .peakMemory: record.memory.peakRSSBytes
        case .peakAnonymousMemory: record.memory.peakAnonymousBytes
        }
    }

    /// Geometric mean over complete runs, with a t interval in the logarithm; none where one of them lacks the figure:
    /// it may lack it for being slow.
    static func mean(_ values: [Maybe<Double>]) -> Figure {
        let numbers = values.compactMap(\.value).filter { $0 > 0 && $0.isFinite }
        let logarithms = numbers.map(\.logarithm)
        let missing = values.lazy.compactMap(\.reason).first
        guard let mean = Moments.mean(logarithms) else { return .unavailable(missing ?? "no complete run") }
        guard numbers.count == values.count else {
            return .unavailable(
                "\(numbers.count) of \(values.count) runs have it: \(missing ?? "a figure is not above 0")")
        }
        let method = "geometric mean over \(numbers.count) run\(numbers.count == 1 ? "" : "s")"
        guard let interval = MeanInterval(logarithms) else {
            return .once(mean.exponential, method: method)
        }
        return Figure(mean.exponential, interval.exponential, method: method + ", t interval")
    }
}
