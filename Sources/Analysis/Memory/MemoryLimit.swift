/// How much memory a model may take, as read before a load.
public struct MemoryLimit: Sendable, Hashable, Codable {
    public enum Origin: String, Sendable, Hashable, Codable {
        /// What the kernel calls available on the machine now (MemAvailable of /proc/meminfo).
        case live
        /// What a control group leaves, which is less.
        case cgroup
        /// A fixed number: the user's, or the machine's memory where nothing tells what is available.
        case `static`
    }

    public var origin: Origin
    /// Memory that can be had without swapping, bytes.
    public var availableBytes: UInt64
    /// What the engine's process holds already, bytes: it is part of what the terms count.
    public var ownBytes: UInt64
    /// Left for everything else.
    public var reserveBytes: UInt64
    /// The control group whose limit it is, or what else it was read from.
    public var source: String

    public init(
        _ origin: Origin, availableBytes: UInt64, ownBytes: UInt64 = 0, reserveBytes: UInt64 = Self.reserve,
        source: String
    ) {
        self.origin = origin
        self.availableBytes = availableBytes
        self.ownBytes = ownBytes
        self.reserveBytes = reserveBytes
        self.source = source
    }

    /// 512 MiB.
    public static let reserve: UInt64 = 512 << 20

    /// Available and own memory together.
    public var reachableBytes: UInt64 {
        let (sum, overflow) = availableBytes.addingReportingOverflow(ownBytes)
        return overflow ? .max : sum
    }

    /// What the whole set is held against: what is reachable less the reserve.
    public var bytes: UInt64 { reachableBytes > reserveBytes ? reachableBytes - reserveBytes : 0 }

    enum CodingKeys: String, CodingKey {
        case origin, source
        case availableBytes = "available_bytes"
        case ownBytes = "own_bytes"
        case reserveBytes = "reserve_bytes"
    }
}
