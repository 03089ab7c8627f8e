/// What the blocks of one variant come to.
enum BlockSummary {
    /// A variant without work that uses more of a core than this is not idle: clock ticks of 10 ms over short blocks
    /// stay below.
    static let idleLimit = 0.05

    /// Geometric mean over blocks with a t interval over quads: the two blocks of a quad follow one another and tell
    /// less than two.
    static func figure(_ metric: ComparedMetric, _ blocks: [BlockFigures]) -> Figure {
        var sums: [[Int]: (sum: Double, count: Int)] = [:]
        var missing: String?
        for block in blocks {
            guard let value = block.values[metric]?.value, value > 0, value.isFinite else {
                missing = missing ?? block.values[metric]?.reason ?? "a figure is not above 0"
                continue
            }
            let quad = [block.line.against, block.line.quad]
            sums[quad, default: (0, 0)].sum += value.logarithm
            sums[quad, default: (0, 0)].count += 1
        }
        let means = sums.sorted { ($0.key[0], $0.key[1]) < ($1.key[0], $1.key[1]) }.map {
            $0.value.sum / Double($0.value.count)
        }
        guard let mean = Moments.mean(means) else { return .unavailable(missing ?? "no whole block") }
        let method = "geometric mean over \(means.count) quads"
        guard means.count >= PairedEffect.fewestQuads, let interval = MeanInterval(means) else {
            return Figure(
                mean.exponential, .unavailable(Unavailable("insufficient: \(means.count) quads")),
                method: method)
        }
        return Figure(mean.exponential, interval.exponential, method: method + ", t interval")
    }
}
