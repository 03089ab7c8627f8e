/// Quantiles of observed values.
enum Quantile {
    /// The name that methods give to the definition.
    static let method = "quantile type 7 (Hyndman and Fan 1996)"

    /// Linear interpolation between the two order statistics around (n - 1) x probability, the default of R
    /// and NumPy; nil for no values.
    ///
    /// - Parameter sorted: in ascending order.
    static func of<Number: BinaryInteger>(_ sorted: [Number], probability: Double) -> Double? {
        of(sorted.map { Double($0) }, probability: probability)
    }

    static func of(_ sorted: [Double], probability: Double) -> Double? {
        guard let last = sorted.indices.last else { return nil }
        let rank = Double(last) * min(1, max(0, probability))
        let lower = Int(rank)
        let upper = min(lower + 1, last)
        let fraction = rank - Double(lower)
        return sorted[lower] * (1 - fraction) + sorted[upper] * fraction
    }

    /// The middle value, or the mean of the two in the middle; nil for no values.
    ///
    /// - Parameter sorted: in ascending order.
    static func median<Number: BinaryInteger>(ofSorted sorted: [Number]) -> Double? {
        of(sorted, probability: 0.5)
    }
}
