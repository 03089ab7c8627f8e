/// Sums and products that stop at the largest number: the factors come out of files.
extension UInt64 {
    func plus(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    func times(_ other: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }

    /// A share or a multiple of it, rounded up.
    func scaled(_ factor: Double) -> UInt64 {
        let product = (Double(self) * factor).rounded(.up)
        return product.isNaN || product <= 0 ? 0 : product >= 0x1p64 ? .max : UInt64(product)
    }

    /// The next multiple.
    func padded(to multiple: UInt64) -> UInt64 {
        let rest = self % multiple
        return rest == 0 ? self : plus(multiple - rest)
    }

    static func saturatingSum(_ values: some Sequence<UInt64>) -> UInt64 { values.reduce(0) { $0.plus($1) } }
}
