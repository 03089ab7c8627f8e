/// A decode rate over time, one observation a whole cycle, on the sustained part's clock.
struct RateSeries: Sendable {
    /// One cycle, or several in a row taken together.
    struct Block: Sendable, Hashable {
        /// Submit of the first cycle, seconds since t = 0.
        let begin: Double
        /// End of the last cycle.
        let end: Double
        let steps: Double
        /// Decode seconds, rescaled to one depth where the rate is depth-adjusted.
        let seconds: Double

        var rate: Double { steps / seconds }
        var middle: Double { (begin + end) / 2 }
    }

    /// Finer blocks would cost more time and place nothing more exactly: a run of 600 s has them every 3 s.
    private static let mostBlocks = 200

    /// One a whole cycle that began after the ramp, in order of time.
    let cycles: [Block]

    var begin: Double { cycles.first?.begin ?? 0 }
    var end: Double { cycles.last?.end ?? 0 }

    /// Position of the first cycle that ends after a moment.
    private func position(endingAfter time: Double) -> Int {
        cycles.partitioningIndex { $0.end > time }
    }

    /// The cycles within a stretch, put together to blocks of as nearly as can be the same number of cycles.
    func blocks(from begin: Double, to end: Double) -> [Block] {
        let first = cycles.partitioningIndex { $0.begin >= begin }
        let found = cycles[first..<max(first, position(endingAfter: end))]
        let count = min(Self.mostBlocks, found.count)
        return (0..<count).map { index in
            Self.joined(
                found[
                    (first + index * found.count / count)..<(first + (index + 1) * found.count / count)])
        }
    }

    private static func joined(_ cycles: ArraySlice<Block>) -> Block {
        Block(
            begin: cycles.first?.begin ?? 0, end: cycles.last?.end ?? 0,
            steps: cycles.reduce(0) { $0 + $1.steps }, seconds: cycles.reduce(0) { $0 + $1.seconds })
    }
}

extension SustainedPart {
    /// The depth-adjusted rate of the whole cycles that began after the ramp.
    func series(after ramp: Double) -> RateSeries {
        series(after: ramp) { steps.tally(entries: $0) }
    }

    /// The rate of the first decode steps of each whole cycle, a quarter of them: at the same shallow depths
    /// in every cycle, so that no depth adjustment is in it. Nil where the engine sends no token stamps.
    func shallowSeries(after ramp: Double) -> RateSeries? {
        guard !whole.contains(where: { generations[$0].stamps.isEmpty }) else { return nil }
        return series(after: ramp) { entries in
            steps.tally(entries: entries.prefix(max(1, entries.count / 4)), adjusted: false)
        }
    }

    private func series(
        after ramp: Double, _ tally: (Range<Int>) -> DecodeSteps.Tally
    ) -> RateSeries {
        var cycles: [RateSeries.Block] = []
        for index in whole where submit(index) >= ramp {
            guard let entries = steps.entries[index] else { continue }
            let sum = tally(entries)
            guard sum.steps > 0, sum.adjustedSeconds > 0 else { continue }
            cycles.append(
                RateSeries.Block(
                    begin: submit(index), end: cycleEnd(index), steps: Double(sum.steps),
                    seconds: sum.adjustedSeconds))
        }
        return RateSeries(cycles: cycles)
    }
}
