/// Memory of the worker at a named point, in bytes.
public struct MemoryLine: Sendable, Hashable, Codable {
    public enum Point: String, Sendable, Hashable, Codable {
        case beforeLoad = "before_load"
        case afterLoad = "after_load"
        case afterFirstToken = "after_first_token"
        case atEnd = "at_end"
        case afterUnload = "after_unload"
        /// The poll of the governor at which least was available: there "available" is the lesser of the machine's
        /// and the control group's.
        case tightest
    }

    public var point: Point
    public var time: Instant
    /// By name. Of the process "rss", "anonymous", "file_mapped", "peak_rss", "swap", "pss", "private_clean",
    /// "private_dirty", "shared_clean" and what the worker itself reports; of the machine "available" and
    /// "swap_used"; of the control group nearest to its limit "cgroup_current", "cgroup_max" and "cgroup_left".
    public var bytes: [String: UInt64]
    /// Why `bytes` lacks the process's own: "engine runs elsewhere".
    public var reason: String?
    /// Bytes that are free on each board by its PCI address; nil where no board was looked for.
    public var gpuFree: Maybe<[String: UInt64]>?

    public init(point: Point, time: Instant, bytes: [String: UInt64], reason: String? = nil) {
        self.point = point
        self.time = time
        self.bytes = bytes
        self.reason = reason
    }

    enum CodingKeys: String, CodingKey {
        case point, bytes, reason
        case gpuFree = "gpu_free"
        case time = "t_ns"
    }
}
