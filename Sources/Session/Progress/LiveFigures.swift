import Analysis
import WorkerProtocol

/// Rates for the progress line only: cheap, rough, never stored. The record is computed from the trace.
final class LiveFigures {
    private var tokensPerSecond: Double?
    private var earlyRates: [Double] = []
    private var energy = LiveEnergy()
    private var temperatureSources: [Int: Double] = [:]
    private var temperature: Double?

    /// Announces sources, so that their samples can be read.
    func add(_ sources: [SourceLine], total: [String]) {
        energy.add(sources.filter { total.contains($0.id) })
        for source in sources where source.quantity == .temperature {
            temperatureSources[source.index] = source.scale
        }
    }

    func add(_ sample: SampleLine) {
        energy.add(sample)
        for (index, value) in zip(sample.sources, sample.values) {
            guard let scale = temperatureSources[index], let value else { continue }
            temperature = max(Double(value) * scale, sample.sources.first == index ? 0 : temperature ?? 0)
        }
    }

    func add(_ mark: MarkLine.Name, at time: Instant) {
        if mark == .sustainedStart { earlyRates = [] }
    }

    /// A step without generations begins: the last rate is no longer news.
    func forgetRate() { tokensPerSecond = nil }

    func add(_ batch: TokenBatch) {
        let nanoseconds = batch.deltaNanoseconds.reduce(0) { $0 &+ $1 }
        guard nanoseconds > 0 else { return }
        let rate = Double(batch.deltaNanoseconds.count) / (Double(nanoseconds) / 1e9)
        // A light smoothing: batches are a quarter of a second long.
        tokensPerSecond = tokensPerSecond.map { 0.7 * $0 + 0.3 * rate } ?? rate
        if earlyRates.count < 40 { earlyRates.append(rate) }
    }

    /// Whether the power has settled since `awaitSettling`; nil while too little was seen to tell.
    var isSettled: Bool? { energy.isFlat }

    /// Whether no source of the total moves any more, so that nothing will settle.
    func isStill(since start: Instant, now: Instant) -> Bool { energy.isStill(since: start, now: now) }

    func awaitSettling() { energy.forget() }

    func fill(_ state: inout ProgressState) {
        state.tokensPerSecond = tokensPerSecond
        state.watts = energy.watts
        state.temperature = temperature
        state.kept = nil
        state.joulesPerToken = nil
        if let rate = tokensPerSecond, earlyRates.count == 40 {
            state.kept = rate / (earlyRates.reduce(0, +) / Double(earlyRates.count))
        }
        if let rate = tokensPerSecond, let watts = energy.watts, rate > 0 {
            state.joulesPerToken = watts.value / rate
        }
    }
}
