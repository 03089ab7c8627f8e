import Analysis

/// Watts over the last two seconds, out of the counters of the total, and its gauges where it has no counter.
struct LiveEnergy {
    /// One source: its energy at the moments at which it moved. Between two steps of a slow counter nothing is
    /// known, and a window that cuts one would take its energy for a change of power.
    private struct Track {
        let scale: Double
        let range: Int64?
        let isGauge: Bool
        /// The longest known time between two reads or two renewals of the value.
        var pace: Nanoseconds
        private(set) var lastMoved: Instant?
        var last: (time: Instant, value: Int64)?
        var joules = 0.0
        var movements: [(time: Instant, joules: Double)] = []

        mutating func add(_ value: Int64, at time: Instant, keepingFrom horizon: Instant) {
            if let last {
                let gained =
                    isGauge
                    ? Double(value) * (time - last.time).seconds.value : moved(from: last.value, to: value)
                joules += gained * scale
                if gained > 0 {
                    movements.append((time, joules))
                    if let lastMoved { pace = max(pace, time - lastMoved) }
                    lastMoved = time
                }
            }
            last = (time, value)
            if let keep = movements.firstIndex(where: { $0.time >= horizon }), keep > 0 {
                movements.removeFirst(keep)
            }
        }

        private func moved(from before: Int64, to value: Int64) -> Double {
            let delta = Double(value) - Double(before)
            if delta >= 0 { return delta }
            return range.map { delta + Double($0) } ?? 0
        }

        /// Mean power between the movements nearest to two moments; nil over less than half a second.
        func power(from begin: Instant, to end: Instant) -> Double? {
            guard let first = movements.first(where: { $0.time >= begin }),
                let last = movements.last(where: { $0.time <= end })
            else { return nil }
            let seconds = (last.time - first.time).seconds.value
            return seconds > 0.5 ? (last.joules - first.joules) / seconds : nil
        }
    }

    private var tracks: [Int: Track] = [:]

    private static let stretch = Seconds(2)

    private(set) var watts: Watts?

    mutating func add(_ sources: [SourceLine]) {
        for source in sources {
            tracks[source.index] = Track(
                scale: source.scale, range: source.range, isGauge: source.kind == .gauge,
                pace: Nanoseconds(max(source.intervalNanoseconds, source.updatePeriodNanoseconds ?? 0)))
        }
    }

    mutating func add(_ sample: SampleLine) {
        let horizon = sample.time + Nanoseconds(Seconds(-2 * Self.stretch.value))
        var sawEnergy = false
        for (index, value) in zip(sample.sources, sample.values) {
            guard let value, tracks[index] != nil else { continue }
            sawEnergy = true
            tracks[index]?.add(value, at: sample.time, keepingFrom: horizon)
        }
        guard sawEnergy else { return }
        watts = power(from: sample.time + Nanoseconds(Seconds(-Self.stretch.value)), to: sample.time)
    }

    /// True when the power of the last two seconds is that of the two before, within 2 % or half a watt;
    /// nil until four seconds were seen.
    var isFlat: Bool? {
        let moments = tracks.values.flatMap { [$0.movements.first?.time, $0.movements.last?.time] }
            .compactMap(\.self)
        guard let first = moments.min(), let last = moments.max() else { return nil }
        let middle = last + Nanoseconds(Seconds(-Self.stretch.value))
        guard (last - first).seconds.value > 1.9 * Self.stretch.value,
            let before = power(from: first, to: middle), let after = power(from: middle, to: last)
        else { return nil }
        return abs(after.value - before.value) <= max(0.5, 0.02 * before.value)
    }

    /// A source that has not moved for so many of its renewals, and so many seconds, is taken to be gone.
    private static let renewalsMissed = 5.0
    private static let patience = 5.0

    /// Whether no source moves any more since a moment, though each had the time to: none will tell of power again.
    func isStill(since start: Instant, now: Instant) -> Bool {
        tracks.values.allSatisfy { track in
            let still = (now - max(start, track.lastMoved ?? start)).seconds.value
            return still > max(Self.patience, Self.renewalsMissed * track.pace.seconds.value)
        }
    }

    /// The sum over the sources that moved; nil when none did: no machine idles at 0 W.
    private func power(from begin: Instant, to end: Instant) -> Watts? {
        let powers = tracks.values.compactMap { $0.power(from: begin, to: end) }
        return powers.isEmpty ? nil : Watts(powers.reduce(0, +))
    }

    /// Forgets what was seen: the machine's load has changed.
    mutating func forget() {
        for index in tracks.keys { tracks[index]?.movements = [] }
    }
}
