/// The memory bandwidth that decode implies, against what a probe measured on the same machine.
///
/// Decode of one stream reads the weights anew for each token. If it were faster than memory can be read, not
/// all that is counted is read: the idea of what the engine does is wrong, or a cache holds the model.
public struct Ceiling: Sendable, Hashable, Codable {
    /// Bytes of weights and of cache that a decode step reads, at the mean depth of the whole cycles.
    public var bytesPerToken: Figure
    /// Bytes per token x decode rate.
    public var impliedBytesPerSecond: Figure
    /// What the probe read.
    public var measuredBytesPerSecond: Figure
    /// Implied / measured.
    public var share: Figure

    public init(
        bytesPerToken: Figure, impliedBytesPerSecond: Figure, measuredBytesPerSecond: Figure, share: Figure
    ) {
        self.bytesPerToken = bytesPerToken
        self.impliedBytesPerSecond = impliedBytesPerSecond
        self.measuredBytesPerSecond = measuredBytesPerSecond
        self.share = share
    }

    enum CodingKeys: String, CodingKey {
        case share
        case bytesPerToken = "bytes_per_token"
        case impliedBytesPerSecond = "implied_bytes_per_second"
        case measuredBytesPerSecond = "measured_bytes_per_second"
    }
}
