import Analysis
import WorkerProtocol

/// Rates for the progress line only: cheap, rough, never stored. The record is computed from the trace.
final class LiveFigures {
    /// Sums over token batches: a rate is a ratio of sums here too, batches differ in length.
    private struct Sums {
        var steps = 0.0
        /// Seconds of these steps.
        var decoding = 0.0
        var tokens = 0.0
        /// Seconds that went by while they were made, prefills and gaps included.
        var wall = 0.0

        /// Older batches count less: batches are a quarter of a second long, the line shows the last few seconds.
        mutating func fade() {
            steps *= 0.9
            decoding *= 0.9
            tokens *= 0.9
            wall *= 0.9
        }

        var rate: Double? { decoding > 0 ? steps / decoding : nil }
    }

    private var recent = Sums()
    private var early = Sums()
    private var isSustained = false
    private var lastStamp: UInt64?
    /// What is kept is held against so much of the sustained part.
    private static let earlySeconds = 10.0
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
        guard mark == .sustainedStart else { return }
        (early, isSustained) = (Sums(), true)
    }

    /// A step without generations begins: the last rate is no longer news.
    func forgetRate() { (recent, lastStamp) = (Sums(), nil) }

    func add(_ batch: TokenBatch) {
        let nanoseconds = batch.deltaNanoseconds.reduce(0) { $0 &+ $1 }
        recent.fade()
        recent.steps += Double(batch.deltaNanoseconds.count)
        recent.decoding += Double(nanoseconds) / 1e9
        recent.tokens += Double(batch.deltaNanoseconds.count) + 1
        let end = batch.startNanoseconds &+ nanoseconds
        if let last = lastStamp, end > last { recent.wall += Double(end - last) / 1e9 }
        lastStamp = end
        guard isSustained, early.decoding < Self.earlySeconds else { return }
        early.steps += Double(batch.deltaNanoseconds.count)
        early.decoding += Double(nanoseconds) / 1e9
    }

    /// Whether the power has settled since `awaitSettling`; nil while too little was seen to tell.
    var isSettled: Bool? { energy.isFlat }

    /// Whether no source of the total moves any more, so that nothing will settle.
    func isStill(since start: Instant, now: Instant) -> Bool { energy.isStill(since: start, now: now) }

    func awaitSettling() { energy.forget() }

    func fill(_ state: inout ProgressState) {
        state.tokensPerSecond = recent.rate
        state.watts = energy.watts
        state.temperature = temperature
        state.kept = nil
        state.joulesPerToken = nil
        if let rate = recent.rate, let start = early.rate, early.decoding >= Self.earlySeconds {
            state.kept = rate / start
        }
        if let watts = energy.watts, recent.tokens > 0, recent.wall > 0 {
            state.joulesPerToken = watts.value * recent.wall / recent.tokens
        }
    }
}
