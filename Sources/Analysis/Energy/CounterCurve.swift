/// Energy of one counter as a function of time: exact at the movements, between them divided by phase powers.
///
/// A movement shows the energy up to the device's last update, which lies somewhere between the last read that
/// showed the old value (or one update period before the read, if that is later) and the read that showed the
/// new one; its middle is taken, its half width goes into the interval. Where marks fall between two
/// movements, the increment is divided in proportion to the power of each phase times its time, so that the
/// parts always sum to the whole.
struct CounterCurve: Sendable {
    /// Energy at one moment and how far it may be off.
    struct Edge {
        /// Since the first read.
        var joules: Double
        /// Half width from the update moments, the division and the resolution.
        var half: Double
        /// Half width of the update moment, seconds; the part of `half` that may be common to all edges.
        var timing: Double
        /// Power just before and just after.
        var before: Double
        var after: Double
    }

    private let series: CounterSeries
    private let timeline: PhaseTimeline
    private let powers: PhasePowers
    private let origin: Instant
    /// Per movement: the update moment since `origin` and its half width, seconds; the energy, joules.
    private let moments: [Double]
    private let halves: [Double]
    private let totals: [Double]
    /// The curve: movements and the edges of the timeline between them.
    private var times: [Double] = []
    private var energies: [Double] = []
    /// How far beyond the reads the last known power may be carried, seconds.
    private let reach: Double

    /// So many resolution steps a movement needs on average before the value can be taken to move at each
    /// update: a counter with coarse steps stands still through many of them.
    private static let stepsForPeriod = 8.0

    init?(series: CounterSeries, timeline: PhaseTimeline, interval: Double) {
        guard series.everMoved, let origin = series.movements.first?.shown else { return nil }
        self.series = series
        self.timeline = timeline
        self.origin = origin
        let movements = series.movements
        let meanSteps = Double(movements.last?.total ?? 0) / Double(movements.count) / series.resolution
        let period = meanSteps >= Self.stepsForPeriod ? series.period?.upper ?? .infinity : .infinity
        var moments: [Double] = []
        var halves: [Double] = []
        for (index, movement) in movements.enumerated() {
            let latest = (movement.latest - origin).seconds.value
            let shown = (movement.shown - origin).seconds.value
            // Nothing was read before the first read: there the period alone tells how old the value is.
            let known = index == 0 ? -.infinity : (movement.earliest - origin).seconds.value
            let age = period.isFinite ? period : series.period?.upper ?? 0
            let earliest = max(known, index == 0 ? shown - age : shown - period)
            moments.append((earliest + latest) / 2)
            halves.append((latest - earliest) / 2)
        }
        self.moments = moments
        self.halves = halves
        totals = movements.map { Double($0.total) * series.traits.scale }
        reach = 2 * max(interval, min(period.isFinite ? period : 0, 2))
        powers = PhasePowers(
            timeline: timeline,
            chains: Self.chains(series, timeline, origin: origin, moments: moments, halves: halves, totals: totals))
        draw()
    }

    /// For each stretch of the timeline the energy between the first and the last movement inside it.
    private static func chains(
        _ series: CounterSeries, _ timeline: PhaseTimeline, origin: Instant, moments: [Double],
        halves: [Double], totals: [Double]
    ) -> [(joules: Double, seconds: Double)?] {
        let edges = timeline.edges.map { ($0 - origin).seconds.value }
        var next = 0
        return timeline.labels.indices.map { stretch in
            let begin = stretch == 0 ? -.infinity : edges[stretch - 1]
            let end = stretch == edges.count ? .infinity : edges[stretch]
            while next < moments.count, moments[next] - halves[next] < begin { next += 1 }
            var joules = 0.0
            var seconds = 0.0
            var last = next
            while last + 1 < moments.count, moments[last + 1] + halves[last + 1] <= end {
                if !series.movements[last + 1].afterVoid {
                    joules += totals[last + 1] - totals[last]
                    seconds += moments[last + 1] - moments[last]
                }
                last += 1
            }
            next = last
            return seconds > 0 ? (joules, seconds) : nil
        }
    }

    private mutating func draw() {
        let edges = timeline.edges.map { ($0 - origin).seconds.value }
        var edge = 0
        for index in moments.indices {
            if index > 0 {
                while edge < edges.count, edges[edge] <= moments[index - 1] { edge += 1 }
                let first = edge
                while edge < edges.count, edges[edge] < moments[index] { edge += 1 }
                divide(increment: index, at: edges[first..<edge], firstEdge: first)
            }
            times.append(moments[index])
            energies.append(totals[index])
        }
    }

    /// Puts the points of the curve at the edges that fall into one increment.
    private mutating func divide(increment index: Int, at edges: ArraySlice<Double>, firstEdge: Int) {
        guard !edges.isEmpty else { return }
        let from = moments[index - 1]
        let whole = totals[index] - totals[index - 1]
        let mean = whole / (moments[index] - from)
        var weights: [Double] = []
        var previous = from
        for (offset, end) in (Array(edges) + [moments[index]]).enumerated() {
            let power = powers.power(of: timeline.labels[firstEdge + offset])?.watts ?? mean
            weights.append(power * (end - previous))
            previous = end
        }
        let sum = weights.reduce(0, +)
        var energy = totals[index - 1]
        for (edge, weight) in zip(edges, weights) {
            energy += sum > 0 ? whole * weight / sum : 0
            times.append(edge)
            energies.append(energy)
        }
    }
}

extension CounterCurve {
    /// The energy up to a moment; the reason when the counter was not read around it.
    func edge(at moment: Instant) -> Result<Edge, Unavailable> {
        let time = (moment - origin).seconds.value
        let labels = timeline.labels(at: moment)
        guard let first = moments.first, let last = moments.last, let read = series.lastRead else {
            return .failure(Unavailable("no reads"))
        }
        if time < first { return beyond(time, from: 0, labels.after, limit: 0 - time) }
        if time >= last {
            return beyond(time, from: moments.count - 1, labels.before, limit: time - (read - origin).seconds.value)
        }
        let index = moments.partitioningIndex { $0 > time } - 1
        let step = totals[index + 1] - totals[index]
        let mean = step / (moments[index + 1] - moments[index])
        let energy = interpolated(at: time)
        let share = step > 0 ? min(max((energy - totals[index]) / step, 0), 1) : 0
        let before = powers.power(of: labels.before)?.watts ?? mean
        let after = powers.power(of: labels.after)?.watts ?? mean
        let timing = (1 - share) * halves[index] + share * halves[index + 1]
        let division = step * share * (1 - share) * powers.spread(of: labels.before, labels.after)
        let unit = series.resolution * series.traits.scale
        let half = max(before, after) * timing + division + unit
        return .success(Edge(joules: energy, half: half, timing: timing, before: before, after: after))
    }

    private func interpolated(at time: Double) -> Double {
        let next = times.partitioningIndex { $0 > time }
        guard next > 0, next < times.count else { return next == 0 ? energies[0] : energies[next - 1] }
        let length = times[next] - times[next - 1]
        let share = length > 0 ? (time - times[next - 1]) / length : 0
        return energies[next - 1] + (energies[next] - energies[next - 1]) * share
    }

    /// Before the first movement and after the last, the phase's power is carried on for the time between two
    /// reads; all of it is in the interval.
    private func beyond(_ time: Double, from index: Int, _ label: Int, limit: Double) -> Result<Edge, Unavailable> {
        guard limit <= reach else {
            return .failure(Unavailable("not read at the edge of the window, \(short(limit)) s off"))
        }
        let neighbour = index == 0 ? 1 : index
        let mean = (totals[neighbour] - totals[neighbour - 1]) / (moments[neighbour] - moments[neighbour - 1])
        let power = powers.power(of: label)?.watts ?? mean
        let carried = power * (time - moments[index])
        let half = power * halves[index] + abs(carried) + series.resolution * series.traits.scale
        return .success(
            Edge(joules: totals[index] + carried, half: half, timing: halves[index], before: power, after: power))
    }
}
