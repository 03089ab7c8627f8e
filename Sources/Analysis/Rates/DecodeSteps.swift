/// Every decode step of the sustained part in order of time, ready to be counted over any stretch of it.
///
/// A step runs from the token before to its own. A generation whose engine sent no stamps is one entry that
/// holds all of its steps: it counts for stretches that hold it whole.
struct DecodeSteps: Sendable {
    /// End of each entry, nanoseconds since t = 0.
    private var ends: [Int64] = []
    /// Sums over the entries before: nanoseconds, steps and depth-adjusted nanoseconds.
    private var nanoseconds: [Int64] = [0]
    private var steps: [Int] = [0]
    private var adjustedNanoseconds: [Double] = [0]
    /// The entries of each generation that has any, by position in `generations`.
    private(set) var entries: [Int: Range<Int>] = [:]
    /// Why rates are not depth-adjusted; nil when they are.
    let unadjusted: Unavailable?

    /// Steps over a stretch and the time they took.
    struct Tally: Sendable, Hashable {
        var steps: Int
        var seconds: Double
        /// Seconds with every step's time rescaled to the same depth; equals `seconds` where that cannot be.
        var adjustedSeconds: Double

        var rate: Double? { steps > 0 && seconds > 0 ? Double(steps) / seconds : nil }
        var adjustedRate: Double? {
            steps > 0 && adjustedSeconds > 0 ? Double(steps) / adjustedSeconds : nil
        }
    }

    /// - Parameter generations: those of the sustained part, by submit.
    init(_ generations: [Generation], start: Instant) {
        var reference: DepthReference?
        let lacking = generations.contains { $0.isWhole && $0.stamps.isEmpty && $0.counts?.decodeSteps != 0 }
        switch DepthReference.of(generations) {
        case .success(let found) where !lacking:
            reference = found
            unadjusted = nil
        case .success: unadjusted = Unavailable("some cycles have no token stamps")
        case .failure(let why): unadjusted = why
        }
        let count = generations.reduce(0) { $0 + max(1, $1.stamps.count) }
        ends.reserveCapacity(count)
        nanoseconds.reserveCapacity(count + 1)
        steps.reserveCapacity(count + 1)
        adjustedNanoseconds.reserveCapacity(count + 1)
        for (index, generation) in generations.enumerated() {
            let first = ends.count
            add(generation, start: start, reference: reference)
            if ends.count > first { entries[index] = first..<ends.count }
        }
    }

    private mutating func add(_ generation: Generation, start: Instant, reference: DepthReference?) {
        if generation.stamps.isEmpty {
            guard let decode = generation.decode, let count = generation.counts?.decodeSteps, count > 0 else {
                return
            }
            let length = decode.length.value
            append(end: decode.end - start, length: length, adjusted: Double(length), count: count)
        }
        for position in 1..<max(1, generation.stamps.count) {
            let end = generation.stamps[position]
            let length = Int64(clamping: end - generation.stamps[position - 1])
            append(
                end: Instant(nanoseconds: end) - start, length: length,
                adjusted: Double(length) * (reference?.factor(at: position - 1) ?? 1), count: 1)
        }
    }

    private mutating func append(end: Nanoseconds, length: Int64, adjusted: Double, count: Int) {
        ends.append(end.value)
        nanoseconds.append((nanoseconds.last ?? 0) &+ length)
        steps.append((steps.last ?? 0) &+ count)
        adjustedNanoseconds.append((adjustedNanoseconds.last ?? 0) + adjusted)
    }

    /// End of the last step, seconds since t = 0; nil when there is none.
    var end: Double? { ends.last.map { Double($0) / 1e9 } }

    /// End of the last step of an entry range, seconds since t = 0.
    func end(entries range: Range<Int>) -> Double { Double(ends[range.upperBound - 1]) / 1e9 }

    /// - Parameter adjusted: whether steps are rescaled to one depth.
    func tally(entries range: Range<Int>, adjusted: Bool = true) -> Tally {
        let seconds = Double(nanoseconds[range.upperBound] &- nanoseconds[range.lowerBound]) / 1e9
        return Tally(
            steps: steps[range.upperBound] &- steps[range.lowerBound], seconds: seconds,
            adjustedSeconds: adjusted
                ? (adjustedNanoseconds[range.upperBound] - adjustedNanoseconds[range.lowerBound]) / 1e9
                : seconds)
    }

    /// The steps that lie wholly inside a stretch.
    ///
    /// - Parameter begin: seconds since t = 0, as `end`.
    func tally(from begin: Double, to end: Double) -> Tally {
        let from = Nanoseconds(Seconds(begin)).value
        let to = Nanoseconds(Seconds(end)).value
        let lower = firstEntry { ends[$0] &- (nanoseconds[$0 + 1] &- nanoseconds[$0]) >= from }
        let upper = firstEntry { ends[$0] > to }
        return tally(entries: lower..<max(lower, upper))
    }

    /// Steps that end after `begin` and no later than `end`, seconds since t = 0.
    func count(endingAfter begin: Double, through end: Double) -> Int {
        let lower = firstEntry { ends[$0] > Nanoseconds(Seconds(begin)).value }
        let upper = firstEntry { ends[$0] > Nanoseconds(Seconds(end)).value }
        return steps[max(lower, upper)] &- steps[lower]
    }

    /// Durations of the steps of an entry range, nanoseconds.
    func lengths(entries range: Range<Int>) -> some Sequence<Int64> {
        range.lazy.map { nanoseconds[$0 + 1] &- nanoseconds[$0] }
    }

    /// The first entry for which `predicate` holds; the entries are in order of time, so it then holds for
    /// all after it.
    private func firstEntry(where predicate: (Int) -> Bool) -> Int {
        var low = 0
        var high = ends.count
        while low < high {
            let middle = low + (high - low) / 2
            if predicate(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
