/// How often a gauge renews its value, out of reads of which most may show a power that stays the same.
///
/// A counter that stands still was not renewed; a gauge that does may have been, to the same value. So only the
/// times from one change to the next tell, each a whole number of periods, and of those the shortest.
enum GaugeRenewals {
    /// So many changes make the short ones among their times no accident.
    private static let enough = 8
    /// Times up to so many short ones are taken: one renewal, or two of which the first changed nothing.
    private static let shortTimes = 2.5

    /// - Parameters:
    ///   - gaps: in order of time; `moved` where the value changed.
    ///   - interval: seconds between reads.
    static func period(_ gaps: [ReadGap], declared: Seconds?, interval: Double) -> UpdatePeriod? {
        // The reads before the first change are no whole time.
        let times = split(gaps).dropFirst()
        guard let shortest = times.map(length).min() else {
            return UpdatePeriod(gaps: gaps, declared: declared)
        }
        if let declared, declared.value > 0, declared.value <= shortest + interval {
            return UpdatePeriod(named: declared)
        }
        guard times.count >= enough else { return UpdatePeriod(atMost: shortest + interval) }
        let lengths = times.map(length).sorted()
        let limit = shortTimes * lengths[lengths.count / 10]
        return UpdatePeriod(gaps: times.filter { length($0) <= limit }.flatMap(\.self), declared: declared)
    }

    /// The reads from each change to the next.
    private static func split(_ gaps: [ReadGap]) -> [[ReadGap]] {
        var result: [[ReadGap]] = []
        var open: [ReadGap] = []
        for gap in gaps {
            open.append(gap)
            guard gap.moved else { continue }
            result.append(open)
            open = []
        }
        return result
    }

    private static func length(_ gaps: [ReadGap]) -> Double { gaps.reduce(0) { $0 + $1.seconds } }
}
