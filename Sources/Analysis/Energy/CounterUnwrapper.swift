/// What the source line says of a cumulative counter.
public struct CounterTraits: Sendable, Hashable {
    /// Joules per raw unit.
    public var scale: Double
    /// The largest value before the counter starts again from 0; nil when unknown or when it never wraps.
    public var range: Int64?
    /// Why `range` is nil although the counter wraps.
    public var rangeReason: String?
    /// The device's largest power limit.
    public var limit: Watts?
    /// `SourceLine.Scope.domain`: decides the ceiling of a device that names no limit.
    public var domain: String
    /// How often the driver or the vendor says that the value is renewed; nil when nobody says.
    public var updatePeriod: Seconds?

    public init(
        scale: Double, range: Int64?, rangeReason: String? = nil, limit: Watts? = nil, domain: String,
        updatePeriod: Seconds? = nil
    ) {
        self.scale = scale
        self.range = range
        self.rangeReason = rangeReason
        self.limit = limit
        self.domain = domain
        self.updatePeriod = updatePeriod
    }

    public init(_ line: SourceLine) {
        self.init(
            scale: line.scale, range: line.range, rangeReason: line.rangeReason,
            limit: line.limitWatts.map { Watts($0) }, domain: line.scope.domain,
            updatePeriod: line.updatePeriodNanoseconds.map { Seconds(Double($0) * 1e-9) })
    }
}

/// One read of one counter, between two readings of the clock.
public struct CounterRead: Sendable, Hashable {
    public var before: Instant
    public var after: Instant
    /// The raw value; nil where the read failed.
    public var value: Int64?

    public init(before: Instant, after: Instant, value: Int64?) {
        self.before = before
        self.after = after
        self.value = value
    }
}

/// What one read of a counter means.
public enum CounterOutcome: Sendable, Hashable {
    /// The base of all that follows.
    case first
    /// So many raw units more than at the read before; 0 for a repeat, which is no statement about power.
    case advanced(UInt64)
    /// So many raw units more, across the end of the range.
    case wrapped(UInt64)
    /// The counter started anew: nothing is known of the energy since the read before.
    case reset(String)
    /// More than one amount of energy explains the value, or none does: nothing is known of it.
    case ambiguous(String)
}

/// Turns the raw values of one cumulative counter into energy, or says why it cannot.
///
/// **Wrap convention.** A counter of range R takes every value from 0 to R (R is the last value before 0),
/// and the step from R to 0 is taken as 0 units. So a wrap from `a` to `b` is `R - a + b`. Where the hardware
/// counts 2^32 steps and R = 2^32 - 1 of them, as RAPL does (Linux, drivers/powercap/intel_rapl_common.c,
/// `max_energy_range_uj`), the truth is that and one step more, about 61 microjoules; which of the two a
/// device means cannot be read from it. The missing step belongs to the upper bound of the energy.
///
/// **Limits of knowledge.** A value that fell is a wrap when the energy that this implies is below the
/// ceiling, and a reset otherwise. A reset is therefore taken for a wrap when the counter stood within
/// ceiling x time of its range's end, and goes unseen when the counter has since passed its old value;
/// between reads 0.1 s apart both are below one part in a thousand of the range.
public struct CounterUnwrapper: Sendable {
    public let traits: CounterTraits
    /// The largest mean power from one movement to the next in this run.
    public private(set) var ownMaximum: Watts = .zero

    private var last: (value: Int64, before: Instant)?
    /// Before this the present value was not there, or not read; seconds by which energy may be older still.
    private var base = (after: Instant(nanoseconds: 0), age: 0.0)
    /// When the present value was first seen, if it is known how it came about.
    private var seenAt: Instant?

    /// A counter may show energy later than it was used: the reader's clock and the device's are not in step.
    private let lateness: Double
    /// How old a value may be that starts a count: energy of that time comes with the next movement.
    private let firstAge: Double

    public init(_ traits: CounterTraits) {
        self.traits = traits
        // Ten periods late is far more than any device was seen to be. Without the bound, a small range would
        // look as if it could have wrapped unseen between any two reads.
        let latest = traits.updatePeriod.map { max(0.01, 10 * $0.value) } ?? .infinity
        lateness = min(0.1, latest)
        firstAge = min(1, latest)
    }

    /// The most power believed now: the largest of four times the device's limit, four times what this run
    /// has seen, and the domain's floor.
    public var ceiling: Watts {
        PlausibleCeiling.watts(domain: traits.domain, limit: traits.limit, ownMaximum: ownMaximum)
    }

    /// Read at least so often, or wraps can no longer be told apart; nil for a counter without range.
    public var pollAtLeastEvery: Seconds? {
        guard let range = traits.range, range > 0 else { return nil }
        return Seconds(Double(range) * traits.scale / (4 * ceiling.value))
    }

    /// Judges the next read. Nil when the read failed: a failure is a gap, and what the counter shows after
    /// it is judged over the whole gap.
    public mutating func feed(_ read: CounterRead) -> CounterOutcome? {
        guard let value = read.value else { return nil }
        guard let last else {
            self.last = (value, read.before)
            base = (read.before, firstAge)
            return value < 0 ? .ambiguous(Self.negative(value)) : .first
        }
        let outcome = judge(value, after: last.value, repeated: seconds(last.before, read.after), at: read)
        switch outcome {
        case .first, .reset, .ambiguous:
            base = (last.before, firstAge)
            seenAt = nil
        case .advanced, .wrapped:
            if value != last.value {
                base = (last.before, lateness)
                seenAt = read.before
            }
        }
        self.last = (value, read.before)
        return outcome
    }

    private mutating func judge(
        _ value: Int64, after last: Int64, repeated gap: Double, at read: CounterRead
    ) -> CounterOutcome {
        guard value >= 0 else { return .ambiguous(Self.negative(value)) }
        guard last >= 0 else { return .reset("the value before was negative") }
        let range = traits.range.flatMap { $0 > 0 ? $0 : nil }
        if let range, max(value, last) > range {
            return .ambiguous(
                "the value \(max(value, last)) is above the range \(range) that the device names")
        }
        if value == last {
            return hidesWrap(0, range, seconds: gap) ? .ambiguous(Self.hidden(gap)) : .advanced(0)
        }
        let elapsed = elapsed(until: read.after)
        if value > last {
            let delta = UInt64(value - last)
            guard isPlausible(delta, seconds: elapsed) else {
                return .ambiguous(
                    "the value rose by \(energy(delta)) within \(short(elapsed)) s, over \(limitText)")
            }
            if hidesWrap(delta, range, seconds: elapsed) { return .ambiguous(Self.hidden(elapsed)) }
            learn(delta, until: read)
            return .advanced(delta)
        }
        guard let range else {
            guard let reason = traits.rangeReason else {
                return .reset("the value fell from \(last) to \(value)")
            }
            return .ambiguous("the value fell and the counter's range is not known: \(reason)")
        }
        let delta = UInt64(range - last) + UInt64(value)
        guard isPlausible(delta, seconds: elapsed) else {
            return .reset(
                "the value fell from \(last) to \(value), which as a wrap would be over \(limitText)")
        }
        if hidesWrap(delta, range, seconds: elapsed) { return .ambiguous(Self.hidden(elapsed)) }
        learn(delta, until: read)
        return .wrapped(delta)
    }

    /// The time whose energy the value shown now can hold beyond the value before: since that one was set.
    private func elapsed(until end: Instant) -> Double {
        seconds(base.after, end) + base.age
    }

    private func seconds(_ from: Instant, _ to: Instant) -> Double { max(0, (to - from).seconds.value) }

    private func isPlausible(_ delta: UInt64, seconds: Double) -> Bool {
        Double(delta) * traits.scale <= ceiling.value * seconds
    }

    private func hidesWrap(_ delta: UInt64, _ range: Int64?, seconds: Double) -> Bool {
        guard let range else { return false }
        return (Double(delta) + Double(range)) * traits.scale <= ceiling.value * seconds
    }

    /// The mean power since the movement before, by the longest time that can be: a late movement and a
    /// prompt one after it are no burst of power.
    private mutating func learn(_ delta: UInt64, until read: CounterRead) {
        let time = seenAt.map { seconds($0, read.before) + lateness } ?? elapsed(until: read.after)
        let watts = Watts(Double(delta) * traits.scale / time)
        if watts > ownMaximum { ownMaximum = watts }
    }
}

extension CounterUnwrapper {
    private static func negative(_ value: Int64) -> String { "the value \(value) is negative" }

    private static func hidden(_ seconds: Double) -> String {
        "\(short(seconds)) s without a read could hide a wrap"
    }

    private func energy(_ delta: UInt64) -> String { "\(short(Double(delta) * traits.scale)) J" }

    private var limitText: String { "the plausible \(short(ceiling.value)) W" }
}
