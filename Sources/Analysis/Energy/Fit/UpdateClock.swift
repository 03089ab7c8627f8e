/// The clock by which a device renews a counter: the same time from each update to the next.
///
/// Reads only bracket an update. Where they keep step with it, every bracket is off by the same; where they nearly do, the
/// middles of the brackets wander about the updates like a vernier, by up to half the time between reads, and a whole
/// phase may be taken for its neighbour. A straight line through all of them knows each update far better than its own
/// bracket does, but for what all are off by together, which the fit takes for lag.
struct UpdateClock: Sendable {
    /// Seconds, as the middles were.
    let moments: [Double]

    /// One update of so many may lie elsewhere without the clock being none.
    private static let strays = 40
    /// An update may be late by this share of the period.
    private static let leeway = 0.02
    private static let fewest = 16

    /// Nil where the brackets are those of no such clock.
    ///
    /// - Parameters:
    ///   - middles: of the reads around each update, ascending, seconds.
    ///   - halves: half the time between these reads.
    init?(middles: [Double], halves: [Double]) {
        guard middles.count >= Self.fewest else { return nil }
        let lengths = zip(middles, middles.dropFirst()).map { $1 - $0 }.sorted()
        let median = lengths[lengths.count / 2]
        // Reads of 50 ms show a period of 120 ms as 100 or 150.
        let single = lengths.filter { $0 > 0.5 * median && $0 < 1.6 * median }
        guard let typical = Moments.mean(single), typical > 0, typical.isFinite else { return nil }
        var ticks = [0.0]
        ticks.reserveCapacity(middles.count)
        for (before, after) in zip(middles, middles.dropFirst()) {
            // An update that moved the counter by nothing is seen by none.
            ticks.append((ticks.last ?? 0) + max(1, ((after - before) / typical).rounded()))
        }
        let points = zip(ticks, middles).map { (x: $0, y: $1) }
        guard let line = LineFit(points), line.slope > 0 else { return nil }
        let leeway = Self.leeway * line.slope
        let predicted = ticks.map(line.value)
        let off = predicted.indices.count { abs(predicted[$0] - middles[$0]) > halves[$0] + leeway }
        guard off <= middles.count / Self.strays else { return nil }
        moments = predicted
    }
}
