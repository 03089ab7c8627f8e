/// How often each length of a decode step came, in bins of equal ratio.
public struct LatencyHistogram: Sendable, Hashable {
    /// One more than there are bins, ascending, seconds.
    public var edges: [Double]
    public var counts: [Int]

    public init(edges: [Double], counts: [Int]) {
        self.edges = edges
        self.counts = counts
    }

    public var total: Int { counts.reduce(0, +) }

    /// A power of two, so that a ratio's root is a few square roots and needs no mathematics library.
    private static let halvings = 6
    /// Nothing shorter is told apart: no engine stamps tokens closer.
    private static let shortest = 1_000.0

    /// - Parameter lengths: nanoseconds; nil for none.
    init?(_ lengths: some Collection<Int64>) {
        guard let least = lengths.min(), let greatest = lengths.max() else { return nil }
        let low = max(Double(least), Self.shortest)
        // Bins of nothing where all are equal.
        let high = max(Double(greatest), low * 1.05)
        var ratio = high / low
        for _ in 0..<Self.halvings { ratio = ratio.squareRoot() }
        var edges = [low]
        for _ in 0..<(1 << Self.halvings) { edges.append((edges.last ?? low) * ratio) }
        var counts = [Int](repeating: 0, count: edges.count - 1)
        for length in lengths {
            let bin = edges.partitioningIndex { $0 > Double(length) } - 1
            counts[min(max(bin, 0), counts.count - 1)] += 1
        }
        self.edges = edges.map { $0 / 1e9 }
        self.counts = counts
    }
}
