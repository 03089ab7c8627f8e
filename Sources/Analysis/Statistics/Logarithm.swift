/// Natural logarithm and exponential. The standard library has them only beside a C library, which pure code
/// does not import; these are within a few units in the last place.
extension Double {
    private static let ln2 = 0.693_147_180_559_945_3

    /// ln of a positive, finite number; NaN for any other.
    var logarithm: Double {
        guard self > 0, isFinite else { return .nan }
        var (mantissa, power) = (significand, Double(exponent))
        if mantissa > 2.0.squareRoot() {
            mantissa /= 2
            power += 1
        }
        // ln m = 2 artanh z with z = (m - 1) / (m + 1), |z| <= 0.172 here (Abramowitz and Stegun 4.1.27).
        let z = (mantissa - 1) / (mantissa + 1)
        var (term, sum, divisor) = (z, 0.0, 1.0)
        while divisor < 30 {
            sum += term / divisor
            term *= z * z
            divisor += 2
        }
        return power * Self.ln2 + 2 * sum
    }

    /// e to the power of the number; infinite or 0 where that cannot be written.
    var exponential: Double {
        guard isFinite else { return self > 0 ? .infinity : isNaN ? .nan : 0 }
        if self > 710 { return .infinity }
        if self < -746 { return 0 }
        let power = (self / Self.ln2).rounded()
        let rest = self - power * Self.ln2
        var (term, sum) = (1.0, 1.0)
        for index in 1...20 {
            term *= rest / Double(index)
            sum += term
        }
        return Double(sign: .plus, exponent: Int(power), significand: sum)
    }
}
