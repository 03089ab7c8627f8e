/// The steps of a counter within the sustained part, each from the moment its value before was set to the
/// moment its own was: the midpoints of the reads that bracket them.
struct CounterSteps: Sendable {
    /// Seconds since the part began.
    private(set) var begins: [Double] = []
    private(set) var ends: [Double] = []
    private(set) var joules: [Double] = []
    /// The cycle in which each step ends.
    private(set) var cycles: [Int] = []
    /// Standard deviation of a step's length that comes of not knowing the moments, seconds.
    private(set) var jitter = 0.0
    /// Mean length, seconds.
    private(set) var meanLength = 0.0

    /// - Parameters:
    ///   - margin: steps are left out that might tell of the time before the part with a lag of so much.
    ///   - isVoid: whether nothing is known of a stretch.
    init(
        _ series: CounterSeries, _ moments: UpdateMoments, cycles timeline: CycleTimeline, margin: Double,
        isVoid: (Span) -> Bool
    ) {
        let scale = series.traits.scale
        let shift = timeline.seconds(moments.origin)
        var squares = 0.0
        for index in series.movements.indices.dropFirst() where !series.movements[index].afterVoid {
            let begin = moments.middles[index - 1] + shift
            let end = moments.middles[index] + shift
            guard begin >= margin, end <= timeline.end, end > begin else { continue }
            let (from, to) = (series.movements[index - 1], series.movements[index])
            guard !isVoid(Span(begin: from.latest, end: to.earliest)) else { continue }
            begins.append(begin)
            ends.append(end)
            joules.append(Double(to.total - from.total) * scale)
            cycles.append(timeline.cycle(at: end))
            // Even over its half width, the variance of a moment is a third of the half's square.
            squares +=
                (moments.halves[index] * moments.halves[index]
                    + moments.halves[index - 1] * moments.halves[index - 1]) / 3
        }
        guard let first = begins.first, let last = ends.last else { return }
        jitter = (squares / Double(count)).squareRoot()
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

    /// Steps count by the inverse of their length: what a power varies by adds up in time, so that a long
    /// step's energy is unsure in proportion to it.
    func weight(_ index: Int) -> Double { meanLength / (ends[index] - begins[index]) }
}
