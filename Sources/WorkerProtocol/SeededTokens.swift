/// SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators").
///
/// The project's own generator, so that a seed means the same prompt with every engine and toolchain.
public struct SplitMix64: Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, by the multiply-shift reduction; its bias is under 2^-32 for any vocabulary.
    public mutating func next(below bound: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}

/// Token ids drawn from a seed.
public enum SeededTokens {
    /// The prompt of a generation: `count` ids, uniform over the vocabulary.
    public static func prompt(seed: UInt64, count: Int, vocabulary: UInt32) -> [Int32] {
        var generator = SplitMix64(seed: seed)
        return (0..<max(0, count)).map { _ in Int32(truncatingIfNeeded: generator.next(below: vocabulary)) }
    }
}

/// FNV-1a over token ids (Fowler, Noll, Vo; 64 bit), each as four little-endian bytes.
public struct TokenHash: Sendable {
    public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    public init() {}

    public mutating func add(_ token: Int32) {
        var bits = UInt32(bitPattern: token)
        for _ in 0..<4 {
            value = (value ^ UInt64(bits & 0xFF)) &* 0x0000_0100_0000_01B3
            bits >>= 8
        }
    }

    /// Sixteen hexadecimal digits.
    public var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
