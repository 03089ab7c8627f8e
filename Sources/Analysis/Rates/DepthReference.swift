/// How long a decode step takes at each position of a generation, so that a context that grows is not taken
/// for a machine that slows down.
struct DepthReference: Sendable {
    /// Fewer whole cycles than this have no meaningful median.
    static let fewestCycles = 3

    /// What a step's time at each position (0 for the step after the first token) is multiplied with: the mean
    /// reference over all positions divided by the reference there. Over a whole cycle that runs at reference
    /// pace the adjusted time is then the time itself.
    private let factors: [Double]

    /// The reference at a position is the median over the whole cycles that reach it; a position that fewer
    /// than three reach takes the one before it.
    static func of(_ generations: [Generation]) -> Result<DepthReference, Unavailable> {
        let cycles = generations.filter { $0.isWhole && $0.stamps.count > 1 }
        guard cycles.count >= fewestCycles else {
            return .failure(Unavailable("fewer than \(fewestCycles) whole cycles with token stamps"))
        }
        guard Set(cycles.map { $0.counts?.prompt }).count == 1 else {
            return .failure(Unavailable("the prompts differ in length"))
        }
        var references: [Double] = []
        var column: [UInt64] = []
        for position in 0..<(cycles.map(\.stamps.count).max() ?? 1) - 1 {
            column.removeAll(keepingCapacity: true)
            for cycle in cycles where position + 1 < cycle.stamps.count {
                column.append(cycle.stamps[position + 1] - cycle.stamps[position])
            }
            guard column.count >= fewestCycles else { break }
            column.sort()
            references.append(Quantile.median(ofSorted: column) ?? 0)
        }
        guard let mean = Moments.mean(references), references.allSatisfy({ $0 > 0 }) else {
            return .failure(Unavailable("steps too short for the clock"))
        }
        return .success(DepthReference(factors: references.map { mean / $0 }))
    }

    func factor(at position: Int) -> Double { factors[min(position, factors.count - 1)] }
}
