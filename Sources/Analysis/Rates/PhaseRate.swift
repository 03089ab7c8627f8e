/// Rates of one phase over cycles: ratios of sums, never means of ratios.
enum PhaseRate {
    /// One cycle's share: the phase's length and the tokens it made or took.
    typealias Share = (seconds: Double, tokens: Int)

    /// Tokens per second.
    ///
    /// - Parameters:
    ///   - tokens: what they are, for the method: "prompt tokens".
    ///   - exact: false when the engine does not count tokens itself.
    static func figure(_ shares: [Share], tokens: String, exact: Bool) -> Figure {
        guard !shares.isEmpty else { return .unavailable("no whole cycle") }
        let count = shares.reduce(0) { $0 + $1.tokens }
        let seconds = shares.reduce(0) { $0 + $1.seconds }
        guard count > 0 else { return .unavailable("no \(tokens)") }
        guard seconds > 0 else { return .unavailable("took no measurable time") }
        let name = (exact ? "" : "estimated ") + tokens
        let rate = Double(count) / seconds
        guard shares.count > 1 else { return .once(rate, method: "\(name) / seconds") }
        let spread = RatioSpread.relativeHalfWidth(shares.map { (y: $0.seconds, x: Double($0.tokens)) })
        return Figure(
            rate, RatioSpread.interval(around: rate, spread),
            method:
                "\(name) / seconds, ratio of sums over \(shares.count) whole cycles; t interval over blocks "
                + "of cycles")
    }
}
