/// The type of a metadata value, by its code in the file (ggml/include/gguf.h, `enum gguf_type`).
public enum GGUFValueType: UInt32, Sendable, Hashable {
    case uint8 = 0
    case int8 = 1
    case uint16 = 2
    case int16 = 3
    case uint32 = 4
    case int32 = 5
    case float32 = 6
    case bool = 7
    case string = 8
    case array = 9
    case uint64 = 10
    case int64 = 11
    case float64 = 12

    /// Bytes of one value; nil for strings and arrays, which have no fixed size.
    public var fixedBytes: UInt64? {
        switch self {
        case .uint8, .int8, .bool: 1
        case .uint16, .int16: 2
        case .uint32, .int32, .float32: 4
        case .uint64, .int64, .float64: 8
        case .string, .array: nil
        }
    }
}

/// A metadata value. Long texts and arrays are counted and checked, not kept.
public enum GGUFValue: Sendable, Hashable {
    case unsigned(UInt64)
    case signed(Int64)
    case real(Double)
    case bool(Bool)
    case string(String)
    /// A string of more than 4,096 bytes (a chat template, a tokenizer's JSON).
    case longString(bytes: UInt64)
    case array(GGUFArray)
}

/// An array of a header.
public struct GGUFArray: Sendable, Hashable {
    public let elementType: GGUFValueType
    public let count: UInt64
    /// The elements, for numbers and booleans up to 4,096 of them; nil for what was only counted.
    public let values: [GGUFValue]?
    /// Number of empty strings in it.
    public let emptyStrings: UInt64
    /// Index of the first empty string.
    public let firstEmptyString: UInt64?

    init(
        elementType: GGUFValueType, count: UInt64, values: [GGUFValue]? = nil, emptyStrings: UInt64 = 0,
        firstEmptyString: UInt64? = nil
    ) {
        self.elementType = elementType
        self.count = count
        self.values = values
        self.emptyStrings = emptyStrings
        self.firstEmptyString = firstEmptyString
    }
}

/// A metadata value and where it stands.
public struct GGUFEntry: Sendable, Hashable {
    public let value: GGUFValue
    public let type: GGUFValueType
    /// Offset in the file of the value's first byte.
    public let offset: UInt64

    /// The value as a count; nil for anything but an integer that is not negative.
    public var count: UInt64? { value.count }

    /// The value as text; nil for anything but a string that was kept.
    public var string: String? {
        if case .string(let text) = value { text } else { nil }
    }

    public var array: GGUFArray? {
        if case .array(let array) = value { array } else { nil }
    }
}

extension GGUFValue {
    /// The value as a count; nil for anything but an integer that is not negative.
    public var count: UInt64? {
        switch self {
        case .unsigned(let value): value
        case .signed(let value): UInt64(exactly: value)
        default: nil
        }
    }
}
