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

/// Watts over the last two seconds, out of the counters of the total, and its gauges where it has no counter.
struct LiveEnergy {
    private struct Reading {
        var time: Instant
        var joules: Double
    }

    private var scales: [Int: Double] = [:]
    private var ranges: [Int: Int64] = [:]
    private var last: [Int: Int64] = [:]
    private var gauges: Set<Int> = []
    /// By gauge, the last time it was read.
    private var gaugeTimes: [Int: Instant] = [:]
    private var joules = 0.0
    private var readings: [Reading] = []

    private static let stretch = Seconds(2)

    private(set) var watts: Watts?

    mutating func add(_ sources: [SourceLine]) {
        for source in sources {
            scales[source.index] = source.scale
            ranges[source.index] = source.range
            if source.kind == .gauge { gauges.insert(source.index) }
        }
    }

    mutating func add(_ sample: SampleLine) {
        var sawEnergy = false
        for (index, value) in zip(sample.sources, sample.values) {
            guard let scale = scales[index], let value else { continue }
            sawEnergy = true
            if gauges.contains(index) {
                let seconds = gaugeTimes[index].map { (sample.time - $0).seconds.value } ?? 0
                joules += Double(value) * scale * seconds
                gaugeTimes[index] = sample.time
            } else if let before = last[index] {
                let delta = value - before
                if delta >= 0 {
                    joules += Double(delta) * scale
                } else if let range = ranges[index] {
                    joules += Double(delta + range) * scale
                }
            }
            last[index] = value
        }
        guard sawEnergy else { return }
        readings.append(Reading(time: sample.time, joules: joules))
        let horizon = sample.time + Nanoseconds(Seconds(-2 * Self.stretch.value))
        if let keep = readings.firstIndex(where: { $0.time >= horizon }), keep > 0 {
            readings.removeFirst(keep)
        }
        watts = power(from: sample.time + Nanoseconds(Seconds(-Self.stretch.value)), to: sample.time)
    }

    /// True when the power of the last two seconds is that of the two before, within 2 % or half a watt;
    /// nil until four seconds were seen.
    var isFlat: Bool? {
        guard let first = readings.first, let last = readings.last else { return nil }
        let middle = last.time + Nanoseconds(Seconds(-Self.stretch.value))
        guard (last.time - first.time).seconds.value > 1.9 * Self.stretch.value,
            let before = power(from: first.time, to: middle), let after = power(from: middle, to: last.time)
        else { return nil }
        return abs(after.value - before.value) <= max(0.5, 0.02 * before.value)
    }

    /// Mean power between the readings nearest to two moments; nil over less than half a second.
    private func power(from begin: Instant, to end: Instant) -> Watts? {
        guard let first = readings.first(where: { $0.time >= begin }),
            let last = readings.last(where: { $0.time <= end })
        else { return nil }
        let span = (last.time - first.time).seconds
        // A counter that stands still tells nothing: no machine idles at 0 W.
        return span.value > 0.5 && last.joules > first.joules
            ? Joules(last.joules - first.joules) / span : nil
    }

    /// Forgets what was seen: the machine's load has changed.
    mutating func forget() { readings = [] }
}
