/// A physical quantity with a fixed unit, so that joules cannot be added to watts by mistake.
public protocol Quantity: Sendable, Hashable, Comparable, Codable {
    /// The magnitude in the unit named by the type.
    var value: Double { get }
    init(_ value: Double)
}

extension Quantity {
    public static var zero: Self { Self(0) }
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
    public static func + (left: Self, right: Self) -> Self { Self(left.value + right.value) }
    public static func - (left: Self, right: Self) -> Self { Self(left.value - right.value) }
    public static func * (left: Self, right: Double) -> Self { Self(left.value * right) }
    public static func / (left: Self, right: Self) -> Double { left.value / right.value }
    public static func += (left: inout Self, right: Self) { left = left + right }

    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Double.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// Energy in joules.
public struct Joules: Quantity {
    public let value: Double
    public init(_ value: Double) { self.value = value }
}

/// Power in watts.
public struct Watts: Quantity {
    public let value: Double
    public init(_ value: Double) { self.value = value }
}

/// A duration in seconds, for figures. Raw stamps stay in `Nanoseconds`.
public struct Seconds: Quantity {
    public let value: Double
    public init(_ value: Double) { self.value = value }
}

/// A moment of CLOCK_MONOTONIC, in nanoseconds since an arbitrary start (clock_gettime(2)).
public struct Instant: Sendable, Hashable, Comparable, Codable {
    public let nanoseconds: UInt64
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The time from `right` to `left`; negative when `left` is earlier.
    public static func - (left: Self, right: Self) -> Nanoseconds {
        Nanoseconds(Int64(bitPattern: left.nanoseconds &- right.nanoseconds))
    }

    /// The moment `right` after `left`, held at the ends of the clock instead of wrapping.
    public static func + (left: Self, right: Nanoseconds) -> Self {
        if right.value >= 0 {
            let (sum, overflow) = left.nanoseconds.addingReportingOverflow(UInt64(right.value))
            return Self(nanoseconds: overflow ? .max : sum)
        }
        let back = right.value.magnitude
        return Self(nanoseconds: back > left.nanoseconds ? 0 : left.nanoseconds - back)
    }

    public init(from decoder: any Decoder) throws {
        self.init(nanoseconds: try decoder.singleValueContainer().decode(UInt64.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }
}

/// A signed length of time in nanoseconds.
public struct Nanoseconds: Sendable, Hashable, Comparable, Codable {
    public let value: Int64
    public init(_ value: Int64) { self.value = value }

    /// The nearest whole number of nanoseconds; what does not fit is held at the ends.
    public init(_ seconds: Seconds) {
        let scaled = (seconds.value * 1e9).rounded()
        self.value = scaled.isNaN ? 0 : Int64(exactly: max(-9.2e18, min(9.2e18, scaled))) ?? 0
    }

    public var seconds: Seconds { Seconds(Double(value) / 1e9) }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
    public static func + (left: Self, right: Self) -> Self { Self(left.value &+ right.value) }
    public static func - (left: Self, right: Self) -> Self { Self(left.value &- right.value) }

    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Int64.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension Joules {
    public static func / (left: Joules, right: Seconds) -> Watts { Watts(left.value / right.value) }
}

extension Watts {
    public static func * (left: Watts, right: Seconds) -> Joules { Joules(left.value * right.value) }
}
