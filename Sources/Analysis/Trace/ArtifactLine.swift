/// The model file of the run.
public struct ArtifactLine: Sendable, Hashable, Codable {
    public var path: String
    public var sizeBytes: UInt64
    /// Bytes of all tensors, what llama-bench prints as the model's size; nil when the header was not read.
    public var tensorBytes: UInt64?
    public var sha256: Maybe<String>
    /// "gguf" and its version, e.g. "gguf v3".
    public var format: String
    public var name: String?
    public var architecture: String?
    /// The quantisation the file claims ("Q4_1"), by `general.file_type`.
    public var quantization: Maybe<String>
    /// Number of parameters: the sum of the tensors' elements.
    public var parameters: Maybe<UInt64>
    /// Bits per weight over all tensors.
    public var bitsPerWeight: Double?
    /// Share of the elements by tensor type, e.g. `Q4_K: 0.71`.
    public var tensorTypes: [String: Double]
    /// How the types of `tensorTypes` store their weights; types of unknown size are missing.
    public var tensorBlocks: [String: TensorBlock]?
    /// `general.quantization_version` of the file.
    public var quantizationVersion: UInt64?
    /// Number of files; nil for a model that is not split.
    public var parts: UInt64?
    /// Where the model says it is from: `general.source.*` or `general.repo_url`.
    public var source: String?
    /// Who made the file: `general.quantized_by`.
    public var producer: String?
    public var trainedContextTokens: UInt64?
    public var layers: UInt64?
    /// What a decode step reads of the model; nil when the header was not read or sizes are not known.
    public var decodeReads: DecodeReads?
    /// "random" for a file of `scripts/make-model`, "trained" is never claimed: nil otherwise.
    public var weights: String?

    public init(path: String, sizeBytes: UInt64, sha256: Maybe<String>, format: String) {
        self.path = path
        self.sizeBytes = sizeBytes
        self.sha256 = sha256
        self.format = format
        self.quantization = .unavailable("not in the file's header")
        self.parameters = .unavailable("not in the file's header")
        self.tensorTypes = [:]
    }

    enum CodingKeys: String, CodingKey {
        case path, sha256, format, name, architecture, quantization, parameters, layers, weights, parts,
            source
        case producer
        case sizeBytes = "size_bytes"
        case tensorBytes = "tensor_bytes"
        case decodeReads = "decode_reads"
        case bitsPerWeight = "bits_per_weight"
        case tensorTypes = "tensor_types"
        case tensorBlocks = "tensor_blocks"
        case quantizationVersion = "quantization_version"
        case trainedContextTokens = "trained_context_tokens"
    }
}

/// Weights that share scales and are stored together.
public struct TensorBlock: Sendable, Hashable, Codable {
    /// Number of weights in a block; 1 for plain numbers.
    public var weights: UInt64
    /// Bits that one weight takes, scales included.
    public var bitsPerWeight: Double

    public init(weights: UInt64, bitsPerWeight: Double) {
        self.weights = weights
        self.bitsPerWeight = bitsPerWeight
    }

    enum CodingKeys: String, CodingKey {
        case weights
        case bitsPerWeight = "bits_per_weight"
    }
}
