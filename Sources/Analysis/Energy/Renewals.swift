/// The times from one renewal of a value to the next, where reads follow one another more closely than renewals.
///
/// Binomial counting of gaps with a movement takes the reads for independent of the device's clock. Both run on
/// crystals: reads at twice the pace of the updates keep in step with them for a whole look, and a count of gaps
/// is then wrong by more than its scatter says. The moments at which movements were seen are off by one gap at
/// most, in step or not.
struct Renewals {
    /// Mean time between two renewals, its 95 % half width, and what nearly all (19 of 20) stay below, seconds.
    let mean: Double
    let half: Double
    let long: Double

    private static let fewest = 4
    /// A standstill is no renewal: times this much longer than usual are set aside.
    private static let standstill = 10.0

    /// Nil where fewer than four such times were seen.
    ///
    /// - Parameters:
    ///   - gaps: in order of time.
    ///   - limit: gaps of this length or longer may hide a renewal: what they part is not compared.
    init?(_ gaps: [ReadGap], shorterThan limit: Double) {
        var times: [(seconds: Double, begins: Bool, widths: Double)] = []
        var clock = 0.0
        var last: (time: Double, width: Double)?
        var begins = true
        for gap in gaps where gap.seconds > 0 {
            clock += gap.seconds
            if gap.seconds >= limit {
                last = nil
                continue
            }
            guard gap.moved else { continue }
            if let last {
                let widths = (last.width * last.width + gap.seconds * gap.seconds) / 12
                times.append((clock - last.time, begins, widths))
                begins = false
            } else {
                begins = true
            }
            last = (clock, gap.seconds)
        }
        let sorted = times.map(\.seconds).sorted()
        guard !sorted.isEmpty else { return nil }
        let usual = sorted[sorted.count / 2]
        let kept = times.filter { $0.seconds <= Self.standstill * usual }
        guard kept.count >= Self.fewest, let mean = Moments.mean(kept.map(\.seconds)),
            let variance = Moments.variance(kept.map(\.seconds)),
            let factor = StudentT.twoSided95(degreesOfFreedom: kept.count - 1)
        else { return nil }
        let count = Double(kept.count)
        // Times in a row share the moments between them: only the outer ones of a row are unsure.
        let edges = kept.filter(\.begins).reduce(0) { $0 + $1.widths } / (count * count)
        self.mean = mean
        half = (1.96 * 1.96 * edges + factor * factor * variance / count).squareRoot()
        let lengths = kept.map(\.seconds).sorted()
        long = lengths[min(lengths.count - 1, lengths.count * 19 / 20)]
    }
}
