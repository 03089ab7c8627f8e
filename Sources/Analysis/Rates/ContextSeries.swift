/// Readings of one quantity that explain the figures: temperatures, clocks.
struct ContextSeries: Sendable {
    let source: SourceLine
    /// Ascending in time as the sampler read them; values in the quantity's base unit.
    private(set) var readings: [(time: Instant, value: Double)] = []

    /// One series a source of the quantity that has readings, in one pass over the samples.
    static func of(_ quantity: SourceLine.Quantity, in trace: Trace) -> [ContextSeries] {
        let sources = trace.sources.filter { $0.quantity == quantity && $0.scale.isFinite }
        guard !sources.isEmpty else { return [] }
        var series = sources.map { ContextSeries(source: $0) }
        let positions = Dictionary(
            sources.enumerated().map { ($0.element.index, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        for sample in trace.samples {
            for (index, value) in zip(sample.sources, sample.values) {
                guard let position = positions[index], let value else { continue }
                series[position].readings.append((sample.time, Double(value) * series[position].source.scale))
            }
        }
        return series.filter { !$0.readings.isEmpty }
    }

    func readings(in span: Span) -> [(time: Instant, value: Double)] {
        readings.filter { span.contains($0.time) }
    }

    /// Mean of the readings of each whole minute since `start`, by number from 0.
    func minuteMeans(since start: Instant) -> [Int: Double] {
        var sums: [Int: (sum: Double, count: Int)] = [:]
        for reading in readings where reading.time >= start {
            let minute = Int((reading.time - start).value / 60_000_000_000)
            sums[minute, default: (0, 0)].sum += reading.value
            sums[minute, default: (0, 0)].count += 1
        }
        return sums.mapValues { $0.sum / Double($0.count) }
    }

    var least: Double? { readings.map(\.value).min() }
}
