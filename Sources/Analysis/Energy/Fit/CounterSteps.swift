/// The steps of a counter within the sustained part, each from the moment its value before was set to the
/// moment its own was: the midpoints of the reads that bracket them.
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
        for index in series.movements.indices.dropFirst() where !series.movements[index].afterVoid {
            let begin = moments.middles[index - 1] + shift
            let end = moments.middles[index] + shift
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
    /// Reads that keep step with the updates bracket each of them alike: the lengths of steps are then known far better
    /// than where they begin, and what all begins are off by is taken for lag. What lengths are off by shows in what the fit
    /// leaves over, since a step that is longer than it is taken for holds more energy.
    ///
    /// - Parameters:
    ///   - seconds: by step and phase.
    ///   - most: what no length is off by more than, root mean square.
    func jitter(_ seconds: [Double], phases: Int, most: Double) -> [Double] {
        (0..<phases).map { phase in
            var sum = 0.0
            for index in 0..<count where seconds[index * phases + phase] > 0 {
                sum += min(variances[index], most * most)
            }
            return (sum / Double(count)).squareRoot()
        }
    }

    /// Steps count by the inverse of their length and what it is unsure by: what a power varies by adds up in
    /// time, so that a long step's energy is unsure in proportion to it, and a step as short as its stamps are
    /// coarse tells little.
    func weight(_ index: Int) -> Double { meanLength / (ends[index] - begins[index] + unsure[index]) }
}
