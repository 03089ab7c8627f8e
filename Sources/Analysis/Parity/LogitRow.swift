/// The probabilities that a row of logits stands for.
struct LogitRow {
    /// ln of the sum of e^logit: a logit less this is the log-probability.
    let logSum: Double
    /// The most likely token, the lowest of equal ones.
    let top: Int
    private let largest: Double

    /// Nil where the row is no distribution: a NaN, an infinity, nothing but impossible tokens. A single token may
    /// be impossible (-infinity).
    init?(_ logits: UnsafeBufferPointer<Float>) {
        guard let (largest, top) = Self.peak(of: logits) else { return nil }
        let peak = Double(largest)
        var sum = 0.0
        for logit in logits { sum += Self.exponential(Double(logit) - peak) }
        self.top = top
        self.largest = peak
        logSum = peak + sum.logarithm
    }

    /// The largest logit and its token, the lowest of equal ones; nil where the row is no distribution.
    static func peak(of logits: UnsafeBufferPointer<Float>) -> (largest: Float, top: Int)? {
        var largest = -Float.infinity
        var top = 0
        for (index, logit) in logits.enumerated() {
            guard logit < .infinity else { return nil }
            if logit > largest { (largest, top) = (logit, index) }
        }
        return largest > -.infinity ? (largest, top) : nil
    }

    /// Kullback-Leibler divergence of another row from this one, in nats, over the whole vocabulary: the sum of
    /// p (ln p - ln q). Infinite where the other holds something possible here to be impossible.
    ///
    /// - Parameters:
    ///   - logits: of this row.
    ///   - others: the logits of `other`, as many.
    func divergence(
        _ logits: UnsafeBufferPointer<Float>, to other: LogitRow, _ others: UnsafeBufferPointer<Float>
    ) -> Double {
        var sum = 0.0
        for index in 0..<min(logits.count, others.count) {
            let probability = Self.exponential(Double(logits[index]) - logSum)
            // 0 ln 0 is 0.
            if probability > 0 { sum += probability * (Double(logits[index]) - Double(others[index])) }
        }
        // It cannot be negative; its rounding can.
        return max(0, sum - logSum + other.logSum)
    }

    /// e to the power of a number that is not positive: a vocabulary's worth of them at a time, so without the
    /// divisions of `Double.exponential`. Within a few units in the last place.
    @inline(__always)
    private static func exponential(_ x: Double) -> Double {
        guard x > -745 else { return 0 }
        let power = (x * 1.442_695_040_888_963_4).rounded()
        // ln 2 in two parts, so that nothing of the rest is lost (Cody and Waite 1980).
        let r = x - power * 0.693_147_180_369_123_8 - power * 1.908_214_929_270_587_7e-10
        // Horner's scheme over 1/n! from n = 13, more than |r| <= ln 2 / 2 needs.
        var series = 1.605_904_383_682_161_5e-10
        series = series * r + 2.087_675_698_786_809_9e-9
        series = series * r + 2.505_210_838_544_171_9e-8
        series = series * r + 2.755_731_922_398_589_1e-7
        series = series * r + 2.755_731_922_398_589_1e-6
        series = series * r + 2.480_158_730_158_730_2e-5
        series = series * r + 1.984_126_984_126_984_1e-4
        series = series * r + 1.388_888_888_888_888_9e-3
        series = series * r + 8.333_333_333_333_333_3e-3
        series = series * r + 4.166_666_666_666_666_7e-2
        series = series * r + 1.666_666_666_666_666_7e-1
        series = series * r + 0.5
        series = series * r + 1
        series = series * r + 1
        return Double(sign: .plus, exponent: Int(power), significand: series)
    }
}
