/// What a bandwidth probe read from memory, for the ceiling of decode.
public struct BandwidthLine: Sendable, Hashable, Codable {
    /// Bytes read per second by all threads together, the best repetition.
    public var bytesPerSecond: Maybe<Double>
    /// What did the reading, in words: "sum of 64-bit words, 8 accumulators".
    public var kernel: String
    public var threads: Int
    /// Bytes of memory read in one repetition by all threads together.
    public var bufferBytes: UInt64
    public var repetitions: Int
    /// Whose memory it is: "cpu", or the PCI id of a GPU.
    public var device: String

    public init(
        bytesPerSecond: Maybe<Double>, kernel: String, threads: Int, bufferBytes: UInt64, repetitions: Int,
        device: String = "cpu"
    ) {
        self.bytesPerSecond = bytesPerSecond
        self.kernel = kernel
        self.threads = threads
        self.bufferBytes = bufferBytes
        self.repetitions = repetitions
        self.device = device
    }

    enum CodingKeys: String, CodingKey {
        case kernel, threads, repetitions, device
        case bytesPerSecond = "bytes_per_second"
        case bufferBytes = "buffer_bytes"
    }
}
