/// What windows drew when the short stretches between them could not be told from them: the energy of all, less
/// what the rest can have drawn at least and at most.
///
/// A board decodes for 0.77 s and prefills for 0.02 s, its counter is renewed every 0.1 s and a read takes long:
/// no fit separates the two. Yet whatever the prefill drew between nothing and the most the board can draw, it
/// moves the decode's energy by a few percent only. The middle is taken and the rest is the interval.
struct RestBound {
    /// The most that the source's device can draw, watts.
    let mostWatts: Double
    /// Time between the windows, seconds.
    let seconds: Double
    /// Begin of the first window to the end of the last.
    let whole: Span

    /// A board's firmware holds it to its limit over some milliseconds; for shorter times it goes beyond.
    private static let excursion = 1.5
    /// The same share that one period in twenty allows an edge.
    private static let acceptedShare = 0.05

    /// Nil where nothing says what the device can draw: a processor's constraint is no ceiling (METRICS,
    /// "Counters": a part rated 55 W runs at 162 to 315 W), a board's power limit is.
    ///
    /// - Parameter spans: in order, not overlapping.
    init?(_ line: SourceLine, spans: [Span]) {
        guard line.scope.domain.hasPrefix("gpu-"), let limit = line.limitWatts, limit > 0, limit.isFinite,
            let first = spans.first, let last = spans.last
        else { return nil }
        mostWatts = Self.excursion * limit
        whole = Span(begin: first.begin, end: last.end)
        seconds = whole.seconds - spans.reduce(0) { $0 + $1.seconds }
        // Windows that overlap leave nothing between them.
        guard seconds >= 0 else { return nil }
    }

    /// - Parameters:
    ///   - all: energy of the whole at its edges.
    ///   - windows: energy of each window as far as it can be told, for their spread.
    /// - Returns: nil where the bounds are too far apart to tell anything.
    func rest(of all: EnergyEstimate, windows: [Double]) -> EnergyEstimate? {
        let most = mostWatts * seconds
        let joules = all.joules - most / 2
        let (low, high) = (all.low - most, all.high)
        let sum = windows.reduce(0, +)
        guard joules > 0, sum > 0, (high - low) / 2 <= Self.acceptedShare * joules else { return nil }
        let share = (100 * seconds / whole.seconds).inTenths
        return EnergyEstimate(
            joules: joules, low: low, high: high,
            method:
                "bounded rest, 0 to \(short(mostWatts)) W in the \(share) % between windows, \(all.method)",
            windows: windows.map { $0 * joules / sum })
    }
}
