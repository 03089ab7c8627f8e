import Analysis

/// What the sustained figures make of many replays of one shape.
public struct ThrottleReplays: Sendable {
    /// A shape and the moment at which its true rate leaves 95 % of the full one.
    public struct Shape: Sendable {
        public var name: String
        public var truth: Double?
        /// How far from the truth an onset may be, seconds.
        public var tolerance: Double
        public var rate: @Sendable (Double) -> Double

        public static let steady = Shape(name: "steady", truth: nil, tolerance: 0) { _ in 1 }
        /// 20 % at once.
        public static let step = Shape(name: "step", truth: 300, tolerance: 30) { $0 < 300 ? 1 : 0.8 }
        /// 30 % over 300 s: 5 % of them after 50 s.
        public static let slide = Shape(name: "slide", truth: 200, tolerance: 60) { time in
            1 - 0.3 * min(1, max(0, (time - 150) / 300))
        }
    }

    public private(set) var runs = 0
    public private(set) var onsets = 0
    /// Onsets within the tolerance of the truth.
    public private(set) var hits = 0
    /// Onsets whose interval holds the truth.
    public private(set) var covered = 0
    public private(set) var retained: [Double] = []
    public private(set) var errors: [Double] = []

    public init(_ shape: Shape, runs: Int, cycle: Double, inheritance: Double = 0, seed: UInt64 = 1) {
        for number in 0..<runs {
            var run = ReplayedRun()
            run.cycle = cycle
            run.inheritance = inheritance
            run.shape = shape.rate
            run.seed = seed &* 1_000_003 &+ UInt64(number)
            add(Analyze.record(from: run.trace).metrics, shape)
        }
    }

    private mutating func add(_ metrics: Metrics, _ shape: Shape) {
        runs += 1
        if let value = metrics.retained.number { retained.append(value) }
        guard case .value(let onset, let interval, _) = metrics.droopOnsetSeconds else { return }
        onsets += 1
        guard let truth = shape.truth else { return }
        errors.append(onset - truth)
        if abs(onset - truth) <= shape.tolerance { hits += 1 }
        if case .bounds(let low, let high) = interval, low <= truth, truth <= high { covered += 1 }
    }

    public var meanRetained: Double {
        retained.isEmpty ? .nan : retained.reduce(0, +) / Double(retained.count)
    }
}
