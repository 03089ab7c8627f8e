/// A number in plain decimal notation with a fixed number of decimals, as C's `%.Nf` writes it.
///
/// Rounds the exact binary value, ties to even. Two differences from C: a result of only zeros has no sign,
/// and a value that is not finite reads "n/a", because no report may show a NaN. `decimals` is held to 0...15.
public func fixed(_ value: Double, decimals: Int) -> String {
    guard value.isFinite else { return "n/a" }
    let decimals = min(max(decimals, 0), 15)
    let magnitude = value.magnitude
    // From 2^52 on a double has no fraction; below, its integer part fits a UInt64.
    guard magnitude < 0x1p52 else {
        let fraction = decimals > 0 ? "." + String(repeating: "0", count: decimals) : ""
        return (value < 0 ? "-" : "") + wholeDigits(magnitude) + fraction
    }
    let (whole, fraction) = roundedParts(magnitude, decimals: decimals)
    var text = String(whole)
    if decimals > 0 {
        let digits = String(fraction)
        text += "." + String(repeating: "0", count: decimals - digits.count) + digits
    }
    return value < 0 && (whole > 0 || fraction > 0) ? "-" + text : text
}

/// The integer part and the fraction in units of 10^-decimals, rounded together. `magnitude` < 2^52.
private func roundedParts(_ magnitude: Double, decimals: Int) -> (whole: UInt64, fraction: UInt64) {
    if decimals == 0 { return (UInt64(magnitude.rounded(.toNearestOrEven)), 0) }
    let whole = magnitude.rounded(.towardZero)
    var unit = 1.0
    for _ in 0..<decimals { unit *= 10 }
    // product + error is the exact value: the product alone may have been rounded onto a tie.
    let part = magnitude - whole
    let product = part * unit
    let error = (-product).addingProduct(part, unit)
    var nearest = product.rounded(.toNearestOrEven)
    let rest = product - nearest
    if rest == 0.5, error > 0 { nearest += 1 }
    if rest == -0.5, error < 0 { nearest -= 1 }
    if nearest == unit { return (UInt64(whole) + 1, 0) }
    return (UInt64(whole), UInt64(nearest))
}

/// All digits of a double that is a whole number, by doubling its significand in decimal.
private func wholeDigits(_ value: Double) -> String {
    if let small = UInt64(exactly: value) { return String(small) }
    var doublings = 0
    var rest = value
    while rest >= 0x1p63 {
        rest /= 2
        doublings += 1
    }
    // Halving a double is exact, and 2^62 and above is a whole number that fits a UInt64.
    var digits = String(UInt64(rest)).utf8.reversed().map { $0 - 0x30 }
    for _ in 0..<doublings {
        var carry: UInt8 = 0
        for index in digits.indices {
            let doubled = digits[index] * 2 + carry
            digits[index] = doubled % 10
            carry = doubled / 10
        }
        if carry > 0 { digits.append(carry) }
    }
    return String(decoding: digits.reversed().map { $0 + 0x30 }, as: UTF8.self)
}
