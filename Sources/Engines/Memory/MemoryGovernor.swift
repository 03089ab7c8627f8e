/// Watches how much memory is left while a model is resident, so that the worker is stopped in order before the
/// kernel kills it.
///
/// What is left is held against a budget that is frozen when watching begins: a limit that shrinks with the use
/// would never be reached. No clock and no reading of its own: whoever polls it (four times a second) hands in
/// what was read, and a test what it likes.
public struct MemoryGovernor: Sendable {
    /// What one poll reads.
    public struct Reading: Sendable, Hashable {
        /// Bytes that could still be had: of the machine, or of the control group that is nearer to its limit.
        public var available: UInt64
        /// Bytes that the worker holds itself.
        public var footprint: UInt64

        public init(available: UInt64, footprint: UInt64) {
            self.available = available
            self.footprint = footprint
        }
    }

    /// From the first warning to the end.
    public enum Level: Int, Sendable, Hashable, CaseIterable, Comparable {
        case low, lower, lowest, stop

        /// Share of the budget that is left when it fires.
        public var share: Double {
            switch self {
            case .low: 0.12
            case .lower: 0.08
            case .lowest: 0.05
            case .stop: 0.03
            }
        }

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// Bytes that there were to spend at the start.
    public let budget: UInt64
    private var armed = Set(Level.allCases)

    /// A level that fired fires again only after so many times its share was left in between: memory about a
    /// level goes up and down with every batch.
    private static let rearming = 1.5

    /// - Parameter start: what was read before the model was loaded; nil where nothing is left to watch.
    public init?(start: Reading) {
        let (budget, overflow) = start.available.addingReportingOverflow(start.footprint)
        guard budget > 0, !overflow else { return nil }
        self.budget = budget
    }

    /// The share of the budget that is left.
    public func left(_ reading: Reading) -> Double {
        let unspent = budget > reading.footprint ? budget - reading.footprint : 0
        return Double(min(unspent, reading.available)) / Double(budget)
    }

    /// The levels that this reading passes for the first time since they were armed, the mildest first.
    public mutating func pollOnce(_ reading: Reading) -> [Level] {
        let left = left(reading)
        for level in Level.allCases where left > Self.rearming * level.share { armed.insert(level) }
        let fired = Level.allCases.filter { left <= $0.share && armed.contains($0) }
        armed.subtract(fired)
        return fired
    }
}
