/// The energy of a source at one moment and how far it may be off.
struct CurveEdge: Sendable {
    /// Since the first read.
    var joules: Double
    /// Half width that differs from edge to edge: where in its update period the counter stood.
    var half: Double
    /// Half width that may be the same at every edge: what is not known of the phases' powers.
    var systematic: Double
    /// Half width of the update moment, seconds.
    var timing: Double
    /// Energy in the `timing` before the moment, and in that after it: what a shift in time would move.
    var before: Double
    var after: Double
    /// The highest power about the moment, watts.
    var power: Double
}

/// Energy of one counter as a function of time: exact at the movements, between them divided by phase powers.
///
/// A movement shows the energy up to the device's last update, which lies somewhere between the last read
/// that showed the old value (or one update period before the read, if that is later) and the read that
/// showed the new one; its middle is taken, its half width goes into the interval. Where marks fall between
/// two movements, the increment is divided in proportion to the power of each phase times its time, so that
/// the parts always sum to the whole.
struct CounterCurve: Sendable {
    private let series: CounterSeries
    private let timeline: PhaseTimeline
    private let powers: PhasePowers
    let moments: UpdateMoments
    /// Seconds by which the counter shows energy late: every movement is taken to be so much earlier.
    private let lag: Double
    /// The energy at each movement, joules.
    private let totals: [Double]
    /// The curve: movements and the edges of the timeline between them. `doubts` is what is not known of the
    /// energy from the movement before up to each point, joules.
    private var times: [Double] = []
    private var energies: [Double] = []
    private var doubts: [Double] = []
    /// By movement: position of its point.
    private var points: [Int] = []
    /// How far beyond the reads the last known power may be carried, seconds.
    private let reach: Double

    init?(series: CounterSeries, timeline: PhaseTimeline, interval: Double, lag: Double = 0) {
        guard series.everMoved, let moments = UpdateMoments(series, lag: lag) else { return nil }
        self.series = series
        self.lag = lag
        self.timeline = timeline
        self.moments = moments
        totals = series.movements.map { Double($0.total) * series.traits.scale }
        reach = 2 * max(interval, min(series.period?.upper ?? 0, 2))
        let edges = timeline.edges.map { moments.seconds($0) }
        let increments = Increments(
            moments: moments.middles, totals: totals, afterVoid: series.movements.map(\.afterVoid),
            edges: edges,
            labels: timeline.labels)
        let chains = moments.chains(series, totals: totals, edges: edges)
        powers = PhasePowers(timeline: timeline, chains: chains, increments: increments)
        times.append(moments.middles[0])
        energies.append(totals[0])
        doubts.append(0)
        points.append(0)
        for index in 1..<increments.count { divide(index, increments) }
    }

    /// Appends the points of one increment: the edges that fall into it, and the movement that ends it.
    private mutating func divide(_ index: Int, _ increments: Increments) {
        let whole = increments.joules[index]
        let mean = whole / increments.seconds[index]
        let pieces = increments.pieces(of: index)
        var weights: [Double] = []
        var spreads: [Double] = []
        for piece in pieces {
            let power = powers.power(of: increments.labels[piece])
            let duration = increments.durations[piece]
            weights.append((power?.watts ?? mean) * duration)
            spreads.append(
                power.map { $0.watts * $0.spread * duration } ?? max(powers.highest, mean) * duration)
        }
        let sum = weights.reduce(0, +)
        let factor = sum > 0 ? whole / sum : 0
        var (time, energy, doubt) = (moments.middles[index - 1], totals[index - 1], 0.0)
        for (position, piece) in pieces.enumerated() {
            time += increments.durations[piece]
            energy += weights[position] * factor
            doubt += spreads[position] * factor
            let isLast = position == pieces.count - 1
            times.append(isLast ? moments.middles[index] : time)
            energies.append(isLast ? totals[index] : energy)
            doubts.append(doubt)
        }
        points.append(times.count - 1)
    }
}

extension CounterCurve {
    /// The power of a label of the timeline, where something tells it.
    func watts(of name: String) -> Double? {
        timeline.names.firstIndex(of: name).flatMap { powers.power(of: $0)?.watts }
    }

    /// The energy up to a moment; the reason when the counter was not read around it.
    func edge(at moment: Instant) -> Result<CurveEdge, Unavailable> {
        let time = moments.seconds(moment)
        let count = moments.middles.count
        guard let read = series.lastRead else { return .failure(Unavailable("no reads")) }
        if time < moments.middles[0] {
            return beyond(time, from: 0, off: -time, label: timeline.labels(at: moment).after)
        }
        if time >= moments.middles[count - 1] {
            return beyond(
                time, from: count - 1, off: time - moments.seconds(read),
                label: timeline.labels(at: moment).before)
        }
        let index = moments.middles.partitioningIndex { $0 > time } - 1
        let step = totals[index + 1] - totals[index]
        let energy = value(energies, at: time)
        let share = step > 0 ? min(max((energy - totals[index]) / step, 0), 1) : 0
        let timing = (1 - share) * moments.halves[index] + share * moments.halves[index + 1]
        let before = energy - value(energies, at: time - timing)
        let after = value(energies, at: time + timing) - energy
        // What is not known of the parts left and right of the moment, each as far as it moves the boundary.
        let all = doubts[points[index + 1]]
        let left =
            times.partitioningIndex { $0 > time } - 1 == points[index]
            ? doubtFromStart(time, index) : value(doubts, at: time)
        let systematic = (1 - share) * left + share * max(0, all - left)
        return .success(
            CurveEdge(
                joules: energy, half: max(before, after) + unit, systematic: systematic, timing: timing,
                before: before, after: after, power: max(before, after) / max(timing, 1e-9)))
    }

    /// `doubts` starts from 0 at each movement, whose own point holds the sum of the increment it ends.
    private func doubtFromStart(_ time: Double, _ index: Int) -> Double {
        let point = points[index]
        let length = times[point + 1] - times[point]
        return length > 0 ? doubts[point + 1] * (time - times[point]) / length : 0
    }

    private var unit: Double { series.resolution * series.traits.scale }

    /// A value along the curve, by straight lines, held at its ends.
    private func value(_ values: [Double], at time: Double) -> Double {
        let next = times.partitioningIndex { $0 > time }
        guard next > 0, next < times.count else { return next == 0 ? values[0] : values[next - 1] }
        let length = times[next] - times[next - 1]
        let share = length > 0 ? (time - times[next - 1]) / length : 0
        return values[next - 1] + (values[next] - values[next - 1]) * share
    }

    /// Before the first movement and after the last, the phase's power is carried on until the next update
    /// can be expected; all of it is in the interval.
    private func beyond(
        _ time: Double, from index: Int, off: Double, label: Int
    ) -> Result<CurveEdge, Unavailable> {
        guard off <= reach else {
            return .failure(Unavailable("not read at the edge of the window, \(short(off)) s off"))
        }
        let neighbour = index == 0 ? 1 : index
        let mean =
            (totals[neighbour] - totals[neighbour - 1])
            / (moments.middles[neighbour] - moments.middles[neighbour - 1])
        let power = powers.power(of: label)?.watts ?? mean
        let half = moments.halves[index]
        // Later than this the counter would have shown it, unless less than one of its steps has gathered.
        let most = max(power * ((series.period?.upper ?? 0) + 2 * half + max(0, off) + abs(lag)), unit)
        let carried = min(max(power * (time - moments.middles[index]), -most), most)
        return .success(
            CurveEdge(
                joules: totals[index] + carried, half: power * half + abs(carried) + unit, systematic: 0,
                timing: half, before: power * half, after: power * half, power: power))
    }
}
