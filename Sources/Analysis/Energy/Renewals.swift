/// The times from one renewal of a value to the next, where reads follow one another more closely than renewals.
///
/// Counting the gaps that saw a movement takes the reads for independent of the device's clock. Both run on
/// crystals: reads at twice the pace of the updates keep in step with them for a whole look, and a count is then
/// wrong by more than its scatter says. The moments at which movements were seen are off by one gap at most, in
/// step or not.
///
/// A late read leaves a gap that may hide a renewal. Where the times across such gaps are left out, the times that
/// are left are the short ones; where they are taken for one period each, some are two. The truth lies between.
struct Renewals {
    /// The middle of the two, and the half width that holds both, and what 95 % of scatter adds; seconds.
    let mean: Double
    let half: Double
    /// What 19 of 20 of the times stay below.
    let long: Double

    /// Nil where fewer than four such times were seen.
    ///
    /// - Parameters:
    ///   - gaps: in order of time.
    ///   - period: about the time between renewals: longer gaps may hide one.
    init?(_ gaps: [ReadGap], about period: Double) {
        guard let low = Times(gaps, shorterThan: period), let high = Times(gaps, shorterThan: 2 * period)
        else {
            return nil
        }
        mean = (low.mean + high.mean) / 2
        half = abs(high.mean - low.mean) / 2 + max(low.half, high.half)
        long = high.long
    }
}

/// Times from movement to movement across gaps below a limit.
private struct Times {
    let mean: Double
    /// 95 %.
    let half: Double
    let long: Double

    private static let fewest = 4
    /// A standstill is no renewal: times this much longer than usual are set aside.
    private static let standstill = 10.0

    init?(_ gaps: [ReadGap], shorterThan limit: Double) {
        var times: [(seconds: Double, ends: Double)] = []
        var clock = 0.0
        var last: (time: Double, gap: Double)?
        var begins = true
        for gap in gaps where gap.seconds > 0 {
            clock += gap.seconds
            if gap.seconds >= limit {
                last = nil
                begins = true
            } else if gap.moved {
                if let last {
                    // Times in a row share the moments between them: only the outer two of a row are unsure.
                    let ends = begins ? (last.gap * last.gap + gap.seconds * gap.seconds) / 12 : 0
                    times.append((clock - last.time, ends))
                    begins = false
                }
                last = (clock, gap.seconds)
            }
        }
        guard !times.isEmpty else { return nil }
        let longest = Self.standstill * times.map(\.seconds).sorted()[times.count / 2]
        times.removeAll { $0.seconds > longest }
        let seconds = times.map(\.seconds).sorted()
        guard times.count >= Self.fewest, let mean = Moments.mean(seconds),
            let variance = Moments.variance(seconds),
            let factor = StudentT.twoSided95(degreesOfFreedom: times.count - 1)
        else { return nil }
        let count = Double(times.count)
        let ends = times.reduce(0) { $0 + $1.ends } / (count * count)
        self.mean = mean
        half = (1.96 * 1.96 * ends + factor * factor * variance / count).squareRoot()
        long = seconds[min(seconds.count - 1, seconds.count * 19 / 20)]
    }
}
