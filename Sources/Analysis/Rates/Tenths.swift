extension Double {
    /// The number with one decimal, for texts; "-0.0" is "0.0".
    package var inTenths: String {
        let tenths = (self * 10).rounded()
        guard tenths.magnitude < 1e15 else { return String(self) }
        let whole = Int64(tenths)
        let sign = whole < 0 ? "-" : ""
        return "\(sign)\(whole.magnitude / 10).\(whole.magnitude % 10)"
    }
}
