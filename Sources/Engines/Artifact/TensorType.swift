/// How the weights of a tensor are stored, by the code in the file (ggml/include/ggml.h, `enum ggml_type`).
///
/// A code that this version does not know is a value like any other: `name` is then "type 99" and its sizes
/// are nil, so that a newer file is still described as far as it can be.
public struct TensorType: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let code: UInt32

    public init(code: UInt32) { self.code = code }

    /// Elements that share scales and are stored together, with the bytes they take.
    public struct Block: Sendable, Hashable {
        public let elements: UInt64
        public let bytes: UInt64
    }

    /// The name in capitals, e.g. "Q4_K".
    public var name: String { Self.known[code]?.name ?? "type \(code)" }

    /// The block; nil for an unknown type and for those that were removed from the format.
    public var block: Block? { Self.known[code]?.block }

    /// Bits that one element takes, scales included.
    public var bitsPerWeight: Double? {
        block.map { Double($0.bytes * 8) / Double($0.elements) }
    }

    /// The type of a name as ggml writes it, "q8_0"; nil for a name that is none.
    public static func named(_ name: String) -> TensorType? {
        let upper = name.uppercased()
        return known.first { $0.value.name == upper }.map { TensorType(code: $0.key) }
    }

    public var description: String { name }

    public static func < (left: Self, right: Self) -> Bool { left.code < right.code }

    private struct Known {
        let name: String
        let block: Block?

        init(_ name: String, _ elements: UInt64, _ bytes: UInt64) {
            self.name = name
            self.block = Block(elements: elements, bytes: bytes)
        }

        init(removed name: String) {
            self.name = name
            self.block = nil
        }
    }

    /// Block sizes as asserted in ggml/src/ggml-common.h ("wrong ... block size/padding") of llama.cpp 0.5.0.
    private static let known: [UInt32: Known] = [
        0: Known("F32", 1, 4),
        1: Known("F16", 1, 2),
        2: Known("Q4_0", 32, 18),
        3: Known("Q4_1", 32, 20),
        4: Known(removed: "Q4_2"),
        5: Known(removed: "Q4_3"),
        6: Known("Q5_0", 32, 22),
        7: Known("Q5_1", 32, 24),
        8: Known("Q8_0", 32, 34),
        9: Known("Q8_1", 32, 36),
        10: Known("Q2_K", 256, 84),
        11: Known("Q3_K", 256, 110),
        12: Known("Q4_K", 256, 144),
        13: Known("Q5_K", 256, 176),
        14: Known("Q6_K", 256, 210),
        15: Known("Q8_K", 256, 292),
        16: Known("IQ2_XXS", 256, 66),
        17: Known("IQ2_XS", 256, 74),
        18: Known("IQ3_XXS", 256, 98),
        19: Known("IQ1_S", 256, 50),
        20: Known("IQ4_NL", 32, 18),
        21: Known("IQ3_S", 256, 110),
        22: Known("IQ2_S", 256, 82),
        23: Known("IQ4_XS", 256, 136),
        24: Known("I8", 1, 1),
        25: Known("I16", 1, 2),
        26: Known("I32", 1, 4),
        27: Known("I64", 1, 8),
        28: Known("F64", 1, 8),
        29: Known("IQ1_M", 256, 56),
        30: Known("BF16", 1, 2),
        31: Known(removed: "Q4_0_4_4"),
        32: Known(removed: "Q4_0_4_8"),
        33: Known(removed: "Q4_0_8_8"),
        34: Known("TQ1_0", 256, 54),
        35: Known("TQ2_0", 256, 66),
        36: Known(removed: "IQ4_NL_4_4"),
        37: Known(removed: "IQ4_NL_4_8"),
        38: Known(removed: "IQ4_NL_8_8"),
        39: Known("MXFP4", 32, 17),
        40: Known("NVFP4", 64, 36),
        41: Known("Q1_0", 128, 18),
        42: Known("Q2_0", 64, 18),
    ]
}
