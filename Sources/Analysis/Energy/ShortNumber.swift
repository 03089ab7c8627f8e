/// A number for a sentence: three significant digits, no exponent within what a sentence meets.
package func short(_ value: Double) -> String {
    guard value.isFinite else { return "?" }
    let magnitude = abs(value)
    if magnitude >= 1e15 || (magnitude > 0 && magnitude < 1e-6) { return String(value) }
    var step = 1.0
    while magnitude / step >= 1000 { step *= 10 }
    while magnitude > 0, magnitude / step < 100 { step /= 10 }
    // Dividing by a whole power of ten is exact where multiplying by its inverse is not.
    let rounded =
        step < 1
        ? (value * (1 / step).rounded()).rounded() / (1 / step).rounded() : (value / step).rounded() * step
    return rounded == rounded.rounded() ? String(Int64(rounded)) : String(rounded)
}
