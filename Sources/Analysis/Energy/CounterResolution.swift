/// Finds the units in which a counter moves.
///
/// Many count in whole units of their own and show them converted: RAPL counts in 1/2^ESU joule (Intel SDM
/// volume 3, MSR_RAPL_POWER_UNIT; 2^-14 J for most packages, 2^-16 J for dram) and powercap shows whole
/// microjoules, so that the values stand on a grid of 61.035 without having a common divisor.
struct CounterResolution {
    private var divisor: UInt64 = 0
    /// Values from all over the run: every `spacing`-th of those that differ from the one before.
    private var values: [Int64] = []
    private var last: Int64 = 0
    private var seen = 0
    private var spacing = 1
    private let scale: Double

    /// A value off a grid of s units lies within one unit of it with probability about 3 / s: this many
    /// values all on a grid of 8 units or more are no accident.
    private static let enough = 24
    private static let most = 96
    private static let coarsestOfInterest = 8.0

    init(scale: Double) { self.scale = scale }

    mutating func add(value: Int64) {
        guard value > 0, value != last else { return }
        last = value
        if seen % spacing == 0 { values.append(value) }
        seen += 1
        guard values.count == Self.most else { return }
        values = stride(from: 0, to: values.count, by: 2).map { values[$0] }
        spacing *= 2
    }

    mutating func add(step: UInt64) {
        var (a, b) = (divisor, step)
        while b != 0 { (a, b) = (b, a % b) }
        divisor = a
    }

    /// Raw units; never below 1.
    var estimate: Double {
        if divisor > 1 { return Double(divisor) }
        guard values.count >= Self.enough, scale > 0, scale.isFinite else { return 1 }
        for power in 6...24 {
            let step = 1 / (Double(1 << power) * scale)
            guard step >= Self.coarsestOfInterest else { break }
            let isOnGrid = values.allSatisfy { value in
                let steps = (Double(value) / step).rounded()
                return abs(Double(value) - steps * step) <= 1
            }
            if isOnGrid { return step }
        }
        return 1
    }
}
