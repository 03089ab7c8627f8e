/// The books of a meter that may run for ever: which windows are open, and the raw samples they still need.
///
/// Raw samples are kept from `Limits.history` before the oldest window that needs them: a ledger judges a
/// counter (its update period, whether it stands still or copies another) by more than the window itself. When
/// a window has gathered `Limits.stretch`, or the samples are `Limits.ticks`, its energy up to there is added
/// up and the samples are dropped: what is kept of it is one sum a source. So memory is bounded whatever stays
/// open. A seam of two stretches costs the width of two more edges, which is in the bounds.
///
/// No clock and no thread: what is true of it can be tested.
public struct EnergyBook: Sendable {
    /// What is kept at most.
    public struct Limits: Sendable, Hashable {
        /// Kept before the oldest window that needs samples, and while no window is open.
        public var history: Seconds
        /// The longest stretch of a window that is kept as samples.
        public var stretch: Seconds
        /// The most ticks kept; only the seconds about the present may go beyond.
        public var ticks: Int

        public init(history: Seconds = Seconds(60), stretch: Seconds = Seconds(600), ticks: Int = 65_536) {
            self.history = history
            self.stretch = stretch
            self.ticks = ticks
        }
    }

    private struct Window {
        var name: String
        var begin: Instant
        var end: Instant?
        /// Up to here the energy is in `sum`.
        var seam: Instant
        var sum: WindowEnergy?
        /// Once it is known for good.
        var reading: EnergyReading?
        var needsSamples: Bool { reading == nil }
    }

    /// The energy sources, by the indices of the samples.
    public let sources: [SourceLine]
    private let limits: Limits
    private let gpus: GPUSelection
    private let whyNone: String
    /// Samples beyond the end of a stretch that its last edge is judged by.
    private let margin: Nanoseconds
    private var samples: [SampleLine] = []
    private var lastRead: [Int: Instant] = [:]
    private var windows: [UInt64: Window] = [:]
    /// Windows that ended not long ago: where the power may have changed.
    private var ended: [NamedSpan] = []
    private var sleeps = SleepLog()
    private var mirrors: [Int: Int] = [:]

    private static let endedKept = 1024

    /// - Parameter whyNone: what figures say where there is no source (`CapabilitiesLine.whyNoEnergy`).
    public init(
        sources: [SourceLine], limits: Limits = Limits(), gpus: GPUSelection = .allVisible,
        whyNone: String = "no energy source"
    ) {
        self.sources = sources.filter(\.tellsEnergy)
        self.limits = limits
        self.gpus = gpus
        self.whyNone = whyNone
        let slowest = sources.map { max($0.intervalNanoseconds, $0.updatePeriodNanoseconds ?? 0) }.max() ?? 0
        margin = Nanoseconds(max(1_000_000_000, 4 * min(slowest, 60_000_000_000)))
    }

    /// Ticks held now.
    public var tickCount: Int { samples.count }
    /// Windows held now: open ones, and ended ones that somebody may still ask for.
    public var windowCount: Int { windows.count }
}

// MARK: Entries

extension EnergyBook {
    /// - Parameter id: unique over the life of the book.
    public mutating func begin(_ id: UInt64, _ name: String, at time: Instant) {
        windows[id] = Window(name: name, begin: time, seam: time)
    }

    /// The first end of a window stands.
    public mutating func end(_ id: UInt64, at time: Instant) {
        guard let window = windows[id], window.end == nil else { return }
        let end = max(window.begin, time)
        windows[id]?.end = end
        ended.append(NamedSpan(window.name, Span(begin: window.begin, end: end)))
    }

    /// Ends every open window.
    public mutating func endAll(at time: Instant) {
        for id in windows.keys { end(id, at: time) }
    }

    /// Nobody can ask for this window any more.
    public mutating func forget(_ id: UInt64) { windows[id] = nil }

    /// The ticks of a sampler, in order.
    public mutating func add(_ sample: SampleLine) {
        samples.append(sample)
        for index in sample.sources { lastRead[index] = sample.time }
    }

    /// CLOCK_BOOTTIME - CLOCK_MONOTONIC at a moment: windows over which it grows are void.
    public mutating func note(slept: Int64, at time: Instant) { sleeps.note(slept: slept, at: time) }

    /// When a window ended; nil while it is open.
    public func end(of id: UInt64) -> Instant? { windows[id]?.end }

    /// Whether every source was read, or tried, at or after a moment.
    public func wasRead(since time: Instant) -> Bool {
        sources.allSatisfy { lastRead[$0.index].map { $0 >= time } ?? false }
    }
}

// MARK: Figures

extension EnergyBook {
    /// The energy of a window; of one that is still open, up to `now`. Nil for a window that is not in the
    /// books.
    ///
    /// It is best asked for once `wasRead(since:)` its end: before that an edge is wide, or unavailable.
    public mutating func reading(of id: UInt64, now: Instant) -> EnergyReading? {
        guard let window = windows[id] else { return nil }
        if let reading = window.reading { return reading }
        let reading = sum(window, until: window.end ?? max(now, window.begin)).reading(name: window.name)
        if window.end != nil { windows[id]?.reading = reading }
        return reading
    }

    private mutating func sum(_ window: Window, until end: Instant) -> WindowEnergy {
        let rest = energy(over: Span(begin: window.seam, end: end), judged: window.sum == nil)
        guard var sum = window.sum else { return rest }
        sum.append(rest)
        return sum
    }

    private mutating func energy(over span: Span, judged: Bool) -> WindowEnergy {
        if sources.isEmpty {
            return WindowEnergy(
                span: span, total: Total(includes: [], excludes: [], unavailable: whyNone),
                energy: .failure(Unavailable(whyNone)), sources: [])
        }
        let from = span.begin + Nanoseconds(-Nanoseconds(limits.history).value)
        let until = span.end + margin
        let first = samples.partitioningIndex { $0.time >= from }
        let last = max(first, samples.partitioningIndex { $0.time > until })
        let open = windows.values.filter { $0.end == nil }.map {
            NamedSpan($0.name, Span(begin: $0.begin, end: until))
        }
        let near = ended.filter { $0.span.end >= from && $0.span.begin <= until }
        let ledger = EnergyLedger(
            sources: sources, samples: Array(samples[first..<last]), windows: near + open,
            suspends: sleeps.spans, gpus: gpus, knownMirrors: mirrors)
        mirrors = ledger.mirrors
        return ledger.window(span, judged: judged)
    }
}

// MARK: Keeping within the limits

extension EnergyBook {
    /// Adds up what has grown long and drops what nothing needs. To be called every second or so.
    public mutating func tidy() {
        guard let last = samples.last?.time else { return }
        let oldest = oldestSeam ?? last
        if last - oldest > Nanoseconds(limits.stretch) || samples.count > limits.ticks {
            for id in windows.keys { settle(id, last: last) }
        }
        let keep = min(oldestSeam ?? last, last)
        let from = keep + Nanoseconds(-Nanoseconds(limits.history).value)
        var drop = samples.partitioningIndex { $0.time >= from }
        if samples.count - drop > limits.ticks {
            // History is shortened, and by half at once so that this is rare; what windows need is not.
            let needed = samples.partitioningIndex { $0.time >= keep }
            drop = max(drop, min(needed, samples.count - limits.ticks / 2))
        }
        samples.removeFirst(drop)
        let begin = samples.first?.time ?? last
        ended.removeAll { $0.span.end < begin }
        ended.removeFirst(max(0, ended.count - Self.endedKept))
    }

    private var oldestSeam: Instant? { windows.values.filter(\.needsSamples).map(\.seam).min() }

    /// Makes a window independent of the samples up to shortly before the last one.
    private mutating func settle(_ id: UInt64, last: Instant) {
        guard let window = windows[id], window.needsSamples else { return }
        let seam = last + Nanoseconds(-margin.value)
        if let end = window.end, end <= seam {
            _ = reading(of: id, now: last)
        } else if seam > window.seam {
            let part = energy(over: Span(begin: window.seam, end: seam), judged: false)
            if windows[id]?.sum == nil {
                windows[id]?.sum = part
            } else {
                windows[id]?.sum?.append(part)
            }
            windows[id]?.seam = seam
        }
    }
}
