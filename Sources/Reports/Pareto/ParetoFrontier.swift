/// The choices that no other beats: none is both cheaper and better.
public enum ParetoFrontier {
    public struct Point: Sendable, Hashable {
        /// Lower is better.
        public var cost: Double
        /// Higher is better.
        public var benefit: Double
        public init(cost: Double, benefit: Double) {
            self.cost = cost
            self.benefit = benefit
        }
    }

    /// The positions of the points on the frontier, by rising cost.
    ///
    /// A point is off it if another is at least as good in both and better in one. Equal points stand
    /// together. A point with a coordinate that is not finite is never on it and beats no other.
    public static func indices(of points: [Point]) -> [Int] {
        let order = points.indices
            .filter { points[$0].cost.isFinite && points[$0].benefit.isFinite }
            .sorted { left, right in
                let (a, b) = (points[left], points[right])
                if a.cost != b.cost { return a.cost < b.cost }
                if a.benefit != b.benefit { return a.benefit > b.benefit }
                return left < right
            }
        var frontier: [Int] = []
        var best: Point?
        for index in order {
            let point = points[index]
            if let best, point.benefit <= best.benefit, point != best { continue }
            best = point
            frontier.append(index)
        }
        return frontier
    }
}
