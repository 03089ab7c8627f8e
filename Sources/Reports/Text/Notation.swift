import Analysis

/// How values are written in tables: sizes and counts as llama-bench writes them, figures with as many
/// digits as their interval justifies.
enum Notation {
    /// Bytes as llama-bench's `size` column: MiB below 1 GiB, then GiB, two decimals. What would read as
    /// 0.00 MiB is given in KiB.
    static func bytes(_ value: Double) -> String {
        if value != 0, value.magnitude < 10_486 { return fixed(value / 1024, decimals: 2) + " KiB" }
        let mebi = 1_048_576.0
        let gibi = 1_073_741_824.0
        return value.magnitude < gibi
            ? fixed(value / mebi, decimals: 2) + " MiB" : fixed(value / gibi, decimals: 2) + " GiB"
    }

    /// A parameter count as llama-bench's `params` column: millions below 10^9, then billions. What would read as
    /// 0.00 M is given in thousands.
    static func parameters(_ value: UInt64) -> String {
        if value > 0, value < 100_000 { return fixed(Double(value) / 1e3, decimals: 2) + " K" }
        return value < 1_000_000_000
            ? fixed(Double(value) / 1e6, decimals: 2) + " M" : fixed(Double(value) / 1e9, decimals: 2) + " B"
    }

    /// A figure as text: "129.3 ± 0.8" with an interval, else "129.30". `nil` when there is no number.
    ///
    /// ± is the longer side of the interval: an interval need not lie evenly about its value.
    /// - Parameters:
    ///   - scale: factor from the record's unit to the shown one (100 for per cent, 1000 for ms).
    ///   - decimals: digits after the point without an interval; nil for four significant digits.
    ///   - spread: false shows the value alone, still rounded to what its interval justifies.
    static func figure(
        _ figure: Figure, scale: Double = 1, decimals: Int? = nil, spread: Bool = true
    ) -> String? {
        guard let value = figure.number.map({ $0 * scale }), value.isFinite else { return nil }
        // What is below the rounding of the arithmetic is no width: runs that agree to the last bit have none.
        guard let half = halfWidth(figure).map({ $0 * scale }), half > value.magnitude * 1e-12, half.isFinite
        else { return plain(value, decimals: decimals) }
        let digits = decimalsOfSpread(half)
        let shown = fixed(value, decimals: digits)
        // Never "± 0": what six decimals do not show is rounded up.
        return spread ? shown + " ± " + fixed(max(half, finest), decimals: digits) : shown
    }

    /// The last of the six decimals that are shown at most.
    private static let finest = 1e-6

    /// A value without interval: the decimals given, or four significant digits.
    static func plain(_ value: Double, decimals: Int? = nil) -> String {
        fixed(value, decimals: decimals ?? significantDecimals(value, digits: 4))
    }

    /// The longer side of a figure's interval, nil where there is none.
    static func halfWidth(_ figure: Figure) -> Double? {
        guard case .value(let value, .bounds(let low, let high), _) = figure else { return nil }
        return max(value - low, high - value)
    }

    /// Seconds with a unit that suits their size: "7.71 ms", "0.381 s", "600 s".
    static func seconds(_ value: Double) -> String {
        value.magnitude < 0.1
            ? plain(value * 1000, decimals: significantDecimals(value * 1000, digits: 3)) + " ms"
            : plain(value, decimals: significantDecimals(value, digits: 3)) + " s"
    }

    /// A whole number with a comma between groups of three: "2,048".
    static func count(_ value: UInt64) -> String {
        var text = ""
        let digits = String(value)
        for (offset, digit) in digits.enumerated() {
            if offset > 0, (digits.count - offset) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// Decimals that show `digits` significant digits of `value`, 0...6.
    static func significantDecimals(_ value: Double, digits: Int) -> Int {
        guard value != 0, value.isFinite else { return 0 }
        return min(max(digits - 1 - decimalExponent(value), 0), 6)
    }

    /// Decimals that show a spread to one significant digit, or to two where the first is 1 or 2, since one
    /// digit could then be off by a third of the spread; 0...6.
    static func decimalsOfSpread(_ half: Double) -> Int {
        let exponent = decimalExponent(half)
        var leading = half
        for _ in 0..<exponent.magnitude { leading *= exponent > 0 ? 0.1 : 10 }
        return min(max((leading < 2.95 ? 1 : 0) - exponent, 0), 6)
    }

    /// floor(log10(|value|)) by comparison, so that no mathematics library is needed; value != 0 and finite.
    private static func decimalExponent(_ value: Double) -> Int {
        var exponent = 0
        var rest = value.magnitude
        while rest >= 10 {
            rest /= 10
            exponent += 1
        }
        while rest < 1 {
            rest *= 10
            exponent -= 1
        }
        return exponent
    }
}
