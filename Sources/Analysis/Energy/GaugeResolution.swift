/// Finds the unit in which a gauge shows power. A steady reading tells nothing of power below it.
struct GaugeResolution {
    private let scale: Double
    private var divisor: UInt64 = 0
    private var different: Set<Int64> = []

    /// So many different values on one grid are no accident: of random ones 1 in 250 such sets has a divisor of
    /// its own (1 - 1 / zeta(8)).
    private static let enough = 8
    /// Of fewer values the digits tell: a meter that shows 42.5 and 43 may show half watts, and one that shows 40
    /// and 50 whole ones.
    private static let coarsest = 1.0

    init(scale: Double) { self.scale = scale }

    mutating func add(_ value: Int64) {
        if different.count < Self.enough { different.insert(value) }
        var (a, b) = (divisor, value.magnitude)
        while b != 0 { (a, b) = (b, a % b) }
        divisor = a
    }

    /// Watts; at least what a raw unit is worth.
    var estimate: Double {
        guard divisor > 0, scale > 0, scale.isFinite else { return scale }
        if different.count >= Self.enough { return Double(divisor) * scale }
        var decade = Self.coarsest
        while decade > scale {
            for part in [1.0, 0.5, 0.2] where isOnGrid(of: decade * part) { return decade * part }
            decade /= 10
        }
        return scale
    }

    /// Whether all values are multiples of so many watts, which are a whole number of raw units.
    private func isOnGrid(of step: Double) -> Bool {
        let units = (step / scale).rounded()
        guard units >= 1, units < 1e18, abs(units * scale - step) <= 1e-9 * step else { return false }
        return divisor % UInt64(units) == 0
    }
}
