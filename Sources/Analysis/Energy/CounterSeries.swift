/// A counter over a run: the moments when its value moved, with exact totals, and the stretches without
/// energy.
///
/// Reads that repeat a value are not kept: a counter that is read faster than it moves draws no 0 W between.
public struct CounterSeries: Sendable, Hashable {
    /// The first sight of a new value.
    public struct Movement: Sendable, Hashable {
        /// Start of the last read that still showed the value before; of the first read itself for the first.
        public var earliest: Instant
        /// Start and end of the first read that showed the new value.
        public var shown: Instant
        public var latest: Instant
        /// Raw units since the first read, without what void stretches hid.
        public var total: UInt64
        /// The energy between the movement before and this one is not known.
        public var afterVoid: Bool
        /// Position of the read among all reads of the run's sampler, to compare counters read together.
        public var tick: Int
        /// Position of the last read that still showed this value: it was there at every tick between.
        public var lastTick: Int
    }

    /// A stretch whose energy is not known.
    public struct Void: Sendable, Hashable {
        public var span: Span
        public var reason: String
    }

    public let traits: CounterTraits
    public internal(set) var movements: [Movement] = []
    /// In order of time.
    public internal(set) var voids: [Void] = []
    /// From the read before each wrap to the read that saw it.
    public internal(set) var wraps: [Span] = []
    /// From the read before each reset to the read that saw it.
    public internal(set) var resetSpans: [Span] = []
    public var resets: Int { resetSpans.count }
    /// Start of the first and end of the last read that gave a value.
    public internal(set) var firstRead: Instant?
    public internal(set) var lastRead: Instant?
    /// Start of the last read: up to here the last value is known to have stood.
    public internal(set) var lastConfirmed: Instant?
    public internal(set) var goodReads = 0
    public internal(set) var failedReads = 0
    public internal(set) var period: UpdatePeriod?
    /// Raw units in which the value moves; 1 where nothing coarser shows.
    public internal(set) var resolution: Double = 1
    public internal(set) var ceiling: Watts
    /// Read at least so often, or wraps can no longer be told apart.
    public internal(set) var pollAtLeastEvery: Seconds?

    /// - Parameters:
    ///   - reads: in order of time, with their positions among the sampler's ticks.
    ///   - declaredPeriod: what the vendor or the probe says, used where the reads cannot tell.
    public init(
        _ traits: CounterTraits, reads: some Sequence<(tick: Int, read: CounterRead)>,
        declaredPeriod: Seconds? = nil
    ) {
        var builder = CounterSeriesBuilder(traits)
        for (tick, read) in reads { builder.add(read, tick: tick) }
        self = builder.finish(declaredPeriod: declaredPeriod)
    }

    init(empty traits: CounterTraits) {
        self.traits = traits
        ceiling = CounterUnwrapper(traits).ceiling
    }

    /// Whether the value ever changed.
    public var everMoved: Bool { movements.count > 1 }

    /// Mean power from each movement to the next, where it is known: the only rates a counter has.
    public var rates: [(span: Span, power: Watts)] {
        zip(movements, movements.dropFirst()).compactMap { from, to in
            let span = Span(begin: from.latest, end: to.latest)
            guard !to.afterVoid, span.seconds > 0 else { return nil }
            return (span, Joules(Double(to.total - from.total) * traits.scale) / Seconds(span.seconds))
        }
    }
}

/// Reads one by one into a series.
struct CounterSeriesBuilder {
    private var series: CounterSeries
    private var unwrapper: CounterUnwrapper
    private var total: UInt64 = 0
    private var previous: CounterRead?
    private var gaps: [ReadGap] = []
    private var resolution: CounterResolution

    init(_ traits: CounterTraits) {
        series = CounterSeries(empty: traits)
        unwrapper = CounterUnwrapper(traits)
        resolution = CounterResolution(scale: traits.scale)
    }

    mutating func add(_ read: CounterRead, tick: Int) {
        guard let outcome = unwrapper.feed(read), let value = read.value else {
            series.failedReads += 1
            return
        }
        series.goodReads += 1
        switch outcome {
        case .first: move(read, tick: tick, afterVoid: false)
        case .advanced(let delta): advance(by: delta, read, tick: tick)
        case .wrapped(let delta):
            series.wraps.append(Span(begin: previous?.before ?? read.before, end: read.after))
            advance(by: delta, read, tick: tick)
        case .reset(let reason):
            series.resetSpans.append(Span(begin: previous?.before ?? read.before, end: read.after))
            void(read, tick: tick, reason: "reset: " + reason)
        case .ambiguous(let reason): void(read, tick: tick, reason: "ambiguous: " + reason)
        }
        if series.firstRead == nil { series.firstRead = read.before }
        resolution.add(value: value)
        series.lastRead = read.after
        series.lastConfirmed = read.before
        previous = read
    }

    private mutating func advance(by delta: UInt64, _ read: CounterRead, tick: Int) {
        if let previous {
            let moved = read.value != previous.value
            gaps.append(ReadGap(seconds: (read.before - previous.before).seconds.value, moved: moved))
        }
        guard read.value != previous?.value else {
            series.movements[series.movements.count - 1].lastTick = tick
            return
        }
        let (sum, overflow) = total.addingReportingOverflow(delta)
        guard !overflow else {
            void(read, tick: tick, reason: "ambiguous: the sum is beyond 64 bits")
            return
        }
        total = sum
        resolution.add(step: delta)
        move(read, tick: tick, afterVoid: false)
    }

    private mutating func move(_ read: CounterRead, tick: Int, afterVoid: Bool) {
        series.movements.append(
            CounterSeries.Movement(
                earliest: previous?.before ?? read.before, shown: read.before, latest: read.after,
                total: total, afterVoid: afterVoid, tick: tick, lastTick: tick))
    }

    /// The energy since the value before was set is lost, and that was at the last movement, not at the last
    /// read.
    private mutating func void(_ read: CounterRead, tick: Int, reason: String) {
        let begin = series.movements.last?.earliest ?? read.before
        series.voids.append(CounterSeries.Void(span: Span(begin: begin, end: read.after), reason: reason))
        move(read, tick: tick, afterVoid: true)
    }

    consuming func finish(declaredPeriod: Seconds?) -> CounterSeries {
        series.resolution = resolution.estimate
        series.ceiling = unwrapper.ceiling
        series.pollAtLeastEvery = unwrapper.pollAtLeastEvery
        series.period = UpdatePeriod(gaps: gaps, declared: declaredPeriod)
        return series
    }
}
