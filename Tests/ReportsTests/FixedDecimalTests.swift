import Glibc
import Testing

@testable import Reports

@Suite struct FixedDecimalTests {
    @Test(arguments: [
        (0.0, 0, "0"), (0.0, 2, "0.00"), (-0.0, 2, "0.00"), (1.5, 0, "2"), (2.5, 0, "2"), (0.125, 2, "0.12"),
        (0.375, 2, "0.38"), (129.3, 1, "129.3"), (-129.35, 1, "-129.3"), (0.999, 2, "1.00"),
        (9.995, 2, "9.99"), (1.115, 2, "1.11"), (-0.004, 2, "0.00"), (-0.006, 2, "-0.01"),
        (1e15, 1, "1000000000000000.0"),
        (1e22, 0, "10000000000000000000000"), (123_456_789_012_345.25, 6, "123456789012345.250000"),
        (.leastNonzeroMagnitude, 3, "0.000"), (0.5, 99, "0.500000000000000"), (7.0, -3, "7"),
    ])
    func knownAnswers(value: Double, decimals: Int, expected: String) {
        #expect(fixed(value, decimals: decimals) == expected)
    }

    @Test func nothingReadsNaN() {
        for value in [Double.nan, .infinity, -.infinity] { #expect(fixed(value, decimals: 2) == "n/a") }
    }

    @Test func huge() {
        let text = fixed(.greatestFiniteMagnitude, decimals: 0)
        #expect(text.count == 309)
        #expect(text.hasPrefix("17976931348623157"))
        #expect(fixed(-0x1p64, decimals: 1) == "-18446744073709551616.0")
    }

    /// The C library rounds the exact binary value too, so every digit must agree.
    @Test func agreesWithPrintf() {
        var generator = SplitMix(state: 7)
        for _ in 0..<20_000 {
            let exponent = Int(generator.next() % 40) - 15
            var value = Double(generator.next() % 1_000_000_007) / 1_000_000_007
            for _ in 0..<abs(exponent) { value *= exponent > 0 ? 10 : 0.1 }
            if generator.next() % 4 == 0 { value = (value * 1000).rounded() / 1000 }
            if generator.next() % 8 == 0 { value = (value * 64).rounded() / 64 }
            if generator.next() % 2 == 0 { value = -value }
            let decimals = Int(generator.next() % 10)
            var expected = printf(value, decimals)
            if expected.allSatisfy({ "-0.".contains($0) }), expected.hasPrefix("-") { expected.removeFirst() }
            #expect(fixed(value, decimals: decimals) == expected)
        }
    }

    private func printf(_ value: Double, _ decimals: Int) -> String {
        var buffer = [CChar](repeating: 0, count: 400)
        let length = withVaList([Int32(decimals), value]) { vsnprintf(&buffer, buffer.count, "%.*f", $0) }
        return String(decoding: buffer.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Steele, Lea, Flood: "Fast splittable pseudorandom number generators" (2014).
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
