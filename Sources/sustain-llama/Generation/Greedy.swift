/// The most likely token.
enum Greedy {
    /// The index of the largest logit, the lowest of equal ones; nil when none is a number.
    ///
    /// Two passes of 16 lanes: this stands on the token path, and a vocabulary has up to 256 Ki entries.
    static func choose(_ logits: UnsafeBufferPointer<Float>) -> Int32? {
        var lanes = SIMD16<Float>(repeating: -.infinity)
        let whole = logits.count - logits.count % 16
        for start in stride(from: 0, to: whole, by: 16) {
            let next = load(logits, start)
            // A NaN compares false and is passed over.
            lanes.replace(with: next, where: next .> lanes)
        }
        var largest = lanes.max()
        for index in whole..<logits.count where logits[index] > largest { largest = logits[index] }
        guard largest > -.infinity else { return nil }
        for start in stride(from: 0, to: whole, by: 16) where any(load(logits, start) .== largest) {
            for index in start..<(start + 16) where logits[index] == largest { return Int32(index) }
        }
        for index in whole..<logits.count where logits[index] == largest { return Int32(index) }
        return nil
    }

    @inline(__always)
    private static func load(_ logits: UnsafeBufferPointer<Float>, _ start: Int) -> SIMD16<Float> {
        UnsafeRawBufferPointer(logits).loadUnaligned(
            fromByteOffset: start * MemoryLayout<Float>.size, as: SIMD16<Float>.self)
    }
}
