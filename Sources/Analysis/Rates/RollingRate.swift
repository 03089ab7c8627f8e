extension SustainedPart {
    /// Shortest stretch of a rolling rate, seconds.
    private static let rollingSeconds = 10.0
    /// Whole cycles that a rolling rate covers at least.
    private static let rollingCycles = 3
    /// A series longer than this takes longer steps than a second: two hours at one a second.
    private static let mostPoints = 7_200.0

    /// The decode rate over the last 10 s or 3 cycles, whichever is longer, once a second.
    ///
    /// A point's stretch ends at its second. It begins 10 s before, or at the submit of the third cycle before
    /// the one that is running, whichever is earlier; points whose stretch would begin before t = 0 are left
    /// out. Steps count that lie wholly inside.
    var rolling: [RollingPoint] {
        let step = max(1, (end / Self.mostPoints).rounded(.up))
        var points: [RollingPoint] = []
        var running = -1
        var time = Self.rollingSeconds
        while time <= end {
            while running + 1 < generations.count, submit(running + 1) <= time { running += 1 }
            if running >= Self.rollingCycles {
                let begin = min(time - Self.rollingSeconds, submit(running - Self.rollingCycles))
                let tally = steps.tally(from: begin, to: time)
                if begin >= 0, let rate = tally.rate {
                    points.append(
                        RollingPoint(
                            seconds: time, tokensPerSecond: rate,
                            depthAdjusted: steps.unadjusted == nil ? tally.adjustedRate : nil))
                }
            }
            time += step
        }
        return points
    }
}
