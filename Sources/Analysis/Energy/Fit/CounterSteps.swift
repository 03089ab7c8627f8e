/// The steps of a counter within the sustained part, each from the moment its value before was set to the
/// moment its own was: by the device's clock, where it has one, else the midpoints of the reads that bracket them.
struct CounterSteps: Sendable {
    /// Seconds since the part began.
    private(set) var begins: [Double] = []
    private(set) var ends: [Double] = []
    private(set) var joules: [Double] = []
    /// By how much the length of each may be off, seconds.
    private var unsure: [Double] = []
    /// The cycle in which each step ends.
    private(set) var cycles: [Int] = []
    /// Variance of the length of each that comes of not knowing its moments, seconds squared.
    private var variances: [Double] = []
    /// Mean length, seconds.
    private(set) var meanLength = 0.0
    /// Whether the updates come by a clock, so that nothing but a common shift of them and their own jitter is unknown.
    let hasClock: Bool

    /// - Parameters:
    ///   - margin: steps are left out that might tell of the time before the part with a lag of so much.
    ///   - lead: and those that might tell of the time after it with a lag of so much below 0.
    ///   - isVoid: whether nothing is known of a stretch.
    init(
        _ series: CounterSeries, _ moments: UpdateMoments, cycles timeline: CycleTimeline, margin: Double,
        lead: Double, isVoid: (Span) -> Bool
    ) {
        let scale = series.traits.scale
        let shift = timeline.seconds(moments.origin)
        let times = Self.times(series, moments, from: -shift, to: timeline.end - shift)
        hasClock = times != nil
        for index in series.movements.indices.dropFirst() where !series.movements[index].afterVoid {
            let begin = (times?[index - 1] ?? moments.middles[index - 1]) + shift
            let end = (times?[index] ?? moments.middles[index]) + shift
            guard begin >= margin, end + lead <= timeline.end, end > begin else { continue }
            let (from, to) = (series.movements[index - 1], series.movements[index])
            guard !isVoid(Span(begin: from.latest, end: to.earliest)) else { continue }
            begins.append(begin)
            ends.append(end)
            joules.append(Double(to.total - from.total) * scale)
            cycles.append(timeline.cycle(at: end))
            unsure.append(moments.halves[index - 1] + moments.halves[index])
            // Even over its half width, the variance of a moment is a third of the half's square.
            variances.append(
                (moments.halves[index] * moments.halves[index]
                    + moments.halves[index - 1] * moments.halves[index - 1]) / 3)
        }
        guard let first = begins.first, let last = ends.last else { return }
        meanLength = (last - first) / Double(count)
    }

    /// When each update of a span came by the device's clock, by its index; nil where it has none, or a stretch is
    /// missing.
    private static func times(
        _ series: CounterSeries, _ moments: UpdateMoments, from: Double, to: Double
    ) -> [Int: Double]? {
        let inside = moments.middles.indices.filter {
            moments.middles[$0] >= from && moments.middles[$0] <= to
        }
        guard let first = inside.first, let last = inside.last,
            !series.movements[first...last].dropFirst().contains(where: \.afterVoid),
            let clock = UpdateClock(
                middles: Array(moments.middles[first...last]), halves: Array(moments.halves[first...last]))
        else { return nil }
        return Dictionary(uniqueKeysWithValues: zip(first...last, clock.moments))
    }

    var count: Int { joules.count }

    /// Seconds of each phase in each step if the counter shows energy `lag` late, flat: step by step, phase by
    /// phase.
    func seconds(lag: Double, _ timeline: CycleTimeline) -> [Double] {
        let from = timeline.elapsed(at: begins.map { $0 - lag })
        let to = timeline.elapsed(at: ends.map { $0 - lag })
        return zip(from, to).map { $1 - $0 }
    }

    /// What the seconds in each phase are off by for want of sharper stamps: root mean square over all steps,
    /// those that hold nothing of the phase being exact.
    ///
    /// Updates that come by a clock are off by their own jitter alone, and that shows in what the fit leaves over, since a
    /// step that is longer than it is taken for holds more energy; what all of them are off by is taken for lag.
    ///
    /// - Parameters:
    ///   - seconds: by step and phase.
    ///   - scatter: what the fit leaves over, as seconds of a step's length, root mean square.
    func jitter(_ seconds: [Double], phases: Int, scatter: Double) -> [Double] {
        let most = hasClock ? scatter * scatter : .infinity
        return (0..<phases).map { phase in
            var sum = 0.0
            for index in 0..<count where seconds[index * phases + phase] > 0 {
                sum += min(variances[index], most)
            }
            return (sum / Double(count)).squareRoot()
        }
    }

    /// Steps count by the inverse of their length and what it is unsure by: what a power varies by adds up in
    /// time, so that a long step's energy is unsure in proportion to it, and a step as short as its stamps are
    /// coarse tells little.
    func weight(_ index: Int) -> Double { meanLength / (ends[index] - begins[index] + unsure[index]) }
}
