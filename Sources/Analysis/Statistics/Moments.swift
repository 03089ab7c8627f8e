/// Mean of a set of numbers.
enum Moments {
    /// Arithmetic mean; nil for no numbers.
    static func mean(_ values: some Collection<Double>) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
}
