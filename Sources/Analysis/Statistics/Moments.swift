/// Mean and spread of a set of numbers.
enum Moments {
    /// Arithmetic mean; nil for no numbers.
    static func mean(_ values: some Collection<Double>) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }

    /// Sample variance with n - 1 degrees of freedom, in two passes; nil for fewer than two numbers.
    static func variance(_ values: some Collection<Double>) -> Double? {
        guard values.count > 1, let mean = mean(values) else { return nil }
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
    }
}
