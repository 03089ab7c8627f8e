/// The time from one read of a counter to the next, and whether the value moved in it.
struct ReadGap {
    var seconds: Double
    var moved: Bool
}

/// How often a source renews its value, as far as the reads can tell.
public struct UpdatePeriod: Sendable, Hashable {
    public enum Basis: Sendable, Hashable {
        /// Some reads saw the value move and some did not.
        case observed
        /// The value moved at every read: the period is at most this.
        case atMost
        /// The source line names this period, and no gap between reads speaks against it.
        case declared
    }

    public let basis: Basis
    public let seconds: Double
    /// What the period may be at most, for the width of edges.
    public let upper: Double
    /// Half width of the interval of `seconds`.
    private let half: Double

    /// So many movements have to speak for a period before it is believed.
    private static let evidence = 8
    /// A period may be longer than its source names it by this factor.
    private static let tolerance = 1.25

    /// Times between renewals that are known to this share are preferred to counting, whatever it claims.
    private static let useful = 0.25

    /// So many standstills speak against a period that the source names.
    private static let refuting = 3

    /// Nil when the value never moved.
    ///
    /// - Parameter gaps: in order of time.
    ///
    /// A counter that moves every p seconds moves in a gap of g < p between two reads with probability g / p,
    /// so that sum(g) / moves over the gaps up to p is p; over gaps that may be longer than p it lies between
    /// p and the longest of them. Applied again to the gaps up to its own result it comes down to p, or to
    /// where too few short gaps are left to go on. That takes the reads for independent of the device's clock;
    /// where enough of them follow one another closely, the times from movement to movement tell more (`Renewals`).
    init?(gaps: [ReadGap], declared: Seconds?) {
        let sorted = gaps.filter { $0.seconds > 0 }.sorted { $0.seconds < $1.seconds }
        var sums = [0.0]
        var moves = [0]
        for gap in sorted {
            sums.append(sums[sums.count - 1] + gap.seconds)
            moves.append(moves[moves.count - 1] + (gap.moved ? 1 : 0))
        }
        guard let all = moves.last, all > 0, let longest = sorted.last else { return nil }
        var count = sorted.count
        var estimate = longest.seconds
        while true {
            let next = sums[count] / Double(moves[count])
            let isSettled = next >= estimate * 0.999
            estimate = next
            let shorter = sorted.partitioningIndex { $0.seconds > next }
            if isSettled || shorter == count || moves[shorter] < Self.evidence { break }
            count = shorter
        }
        // A few short gaps that saw no movement do not tell a period far below the usual gap, nor does a counter
        // that froze once: the period that the source names stands until the value often stood for much longer.
        if let declared, declared.value > 0, declared.value < estimate,
            !Self.refutes(gaps, period: declared.value)
        {
            self.init(named: declared)
            return
        }
        guard sorted[..<count].contains(where: { !$0.moved }) else {
            self.init(atMost: estimate)
            return
        }
        let counted = estimate * 2 / Double(moves[count]).squareRoot()
        if let renewals = Renewals(gaps, about: estimate),
            renewals.half <= Self.useful * renewals.mean
        {
            self.init(
                .observed, renewals.mean, upper: max(renewals.mean + renewals.half, renewals.long),
                half: renewals.half)
        } else {
            self.init(.observed, estimate, upper: estimate + counted, half: counted)
        }
    }

    private init(_ basis: Basis, _ seconds: Double, upper: Double, half: Double) {
        self.basis = basis
        self.seconds = seconds
        self.upper = upper
        self.half = half
    }

    /// The period that a source names, where nothing speaks against it.
    init(named period: Seconds) {
        let upper = period.value * Self.tolerance
        self.init(.declared, period.value, upper: upper, half: upper)
    }

    /// A bound is all that is known.
    init(atMost seconds: Double) { self.init(.atMost, seconds, upper: seconds, half: seconds) }

    /// Whether the value often stood for over twice a period; in a short look twice are often, if it mostly stood.
    private static func refutes(_ gaps: [ReadGap], period: Double) -> Bool {
        let count = standstills(gaps, over: 2 * period)
        if count >= refuting { return true }
        let long = gaps.filter { $0.seconds > 2 * period }
        let moved = long.count(where: \.moved)
        return count >= 2 && 2 * moved < long.count
    }

    /// How often the value stood still for longer than `seconds`, over one or many gaps in a row.
    private static func standstills(_ gaps: [ReadGap], over seconds: Double) -> Int {
        var count = 0
        var still = 0.0
        for gap in gaps {
            if !gap.moved, still <= seconds, still + gap.seconds > seconds { count += 1 }
            still = gap.moved ? 0 : still + max(0, gap.seconds)
        }
        return count
    }

    /// For the record: the period in seconds.
    public var figure: Figure {
        switch basis {
        case .observed:
            Figure(
                seconds, .bounds(low: max(0, seconds - half), high: seconds + half),
                method: "reads that saw the value move or stand")
        case .atMost:
            Figure(seconds, .bounds(low: 0, high: upper), method: "moved at every read: at most this")
        case .declared:
            Figure(seconds, .bounds(low: 0, high: upper), method: "named by the source; the reads agree")
        }
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element satisfies the predicate, in a collection where all that do not come
    /// first.
    func partitioningIndex(where belongsInSecond: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if belongsInSecond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
