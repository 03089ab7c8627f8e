/// What a load would take, by the engine's own dry run. A field that the engine cannot tell is nil.
public struct Sized: Sendable, Hashable, Codable {
    /// Bytes of the keys and values of the whole context.
    public var kvBytes: UInt64?
    /// Bytes of the state of recurrent layers.
    public var recurrentBytes: UInt64?
    /// Bytes of the buffers that steps compute in, as far as `generate` uses them.
    public var computeBytes: UInt64?
    /// Whether weights are kept in another layout than the file's, so that a mapped file is there beside them.
    public var repacks: Bool?
    /// Names of the devices in use beside the CPU: what lies there is in none of the bytes.
    public var devices: [String]

    /// Whether a GPU is in use whose memory is the machine's.
    public var sharesMemory: Bool?

    public init(devices: [String] = []) { self.devices = devices }

    enum CodingKeys: String, CodingKey {
        case repacks, devices
        case sharesMemory = "shares_memory"
        case kvBytes = "kv_bytes"
        case recurrentBytes = "recurrent_bytes"
        case computeBytes = "compute_bytes"
    }
}
