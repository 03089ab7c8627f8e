/// Whether a model fits into memory, told before it is loaded (docs/metrics.md, "Fit").
public struct FitReport: Sendable, Hashable, Codable {
    public enum Status: String, Sendable, Hashable, Codable {
        case fits
        case doesNotFit = "does_not_fit"
        case cannotTell = "cannot_tell"
    }

    /// Why it cannot be told.
    public enum Code: String, Sendable, Hashable, Codable {
        /// There is no header to size by: no model file, or one that cannot be read yet.
        case metadataNotReady = "metadata_not_ready"
        /// Something that decides is of unknown size: a device's memory, a cache whose shape had to be guessed.
        case sizingUnavailable = "sizing_unavailable"
        /// The sizes make no sense: sums beyond 64 bits.
        case sizingInvalid = "sizing_invalid"
        /// The engine's own dry run failed, and the formulas alone do not decide.
        case sizingFailed = "sizing_failed"
    }

    /// One of the two gates: both must pass.
    public struct Gate: Sendable, Hashable, Codable {
        public var needBytes: UInt64
        public var allowedBytes: UInt64
        public var passes: Bool { needBytes <= allowedBytes }

        public init(needBytes: UInt64, allowedBytes: UInt64) {
            self.needBytes = needBytes
            self.allowedBytes = allowedBytes
        }

        enum CodingKeys: String, CodingKey {
            case needBytes = "need_bytes"
            case allowedBytes = "allowed_bytes"
        }
    }

    public var status: Status
    /// Set with `cannot_tell` and only then.
    public var code: Code?
    /// The verdict in words, with both numbers where there are two.
    public var reason: String
    public var parameters: FitParameters
    /// What was added up; empty when there was nothing to size by.
    public var terms: [FitTerm]
    /// The compute term before anything was learnt about it: what runs are learnt from.
    public var sizedCompute: FitTerm?
    public var limit: MemoryLimit?
    /// Memory that is newly allocated, against a share of what is available.
    public var newAllocation: Gate?
    /// The whole logical set, mapped weights too, against the limit.
    public var wholeSet: Gate?
    /// What is offloaded, against the boards' free memory; nil where nothing is.
    public var gpu: Maybe<GPUFit>?
    /// The run whose measured peak took the place of the sum.
    public var measuredIn: String?
    /// How many runs the fixed, transient and compute terms were learnt from; nil while they are reserves.
    public var learntFrom: Int?
    public var warnings: [String]

    public init(status: Status, code: Code? = nil, reason: String, parameters: FitParameters) {
        self.status = status
        self.code = code
        self.reason = reason
        self.parameters = parameters
        terms = []
        warnings = []
    }

    /// What is expected to be resident at the peak, bytes; nil when there was nothing to size by.
    public var estimateBytes: UInt64? { wholeSet?.needBytes }

    /// The bytes of a term; 0 for one that is not there.
    public func bytes(_ name: FitTerm.Name) -> UInt64 { terms.first { $0.name == name }?.bytes ?? 0 }

    enum CodingKeys: String, CodingKey {
        case status, code, reason, parameters, terms, limit, warnings, gpu
        case newAllocation = "new_allocation"
        case wholeSet = "whole_set"
        case sizedCompute = "sized_compute"
        case measuredIn = "measured_in"
        case learntFrom = "learnt_from"
    }
}

/// One term of the sum.
public struct FitTerm: Sendable, Hashable, Codable {
    public enum Name: String, Sendable, Hashable, Codable, CaseIterable {
        case weights
        /// Weights held a second time, in the layout of the CPU's kernels.
        case repacked
        /// A tensor on its way from the file to its place, as far as it exceeds what is allocated later.
        case staging
        case kv
        /// Which token is where in the cache.
        case cells
        case recurrent
        case compute
        case tokenizer
        case projector
        case draft
        case fixed
        case transient
    }

    /// Where the number is from.
    public enum Origin: String, Sendable, Hashable, Codable {
        /// The file's size, or its header.
        case header
        /// The formula of docs/metrics.md.
        case formula
        /// A formula whose input the header does not give.
        case guessed
        /// The engine's own dry run.
        case engine
        /// Runs on the same build of the engine.
        case learnt
        /// A round number that stands in until runs are known.
        case reserve
    }

    public var name: Name
    public var bytes: UInt64
    public var origin: Origin
    /// Whether it is newly allocated; false for weights that are mapped from the file.
    public var allocates: Bool

    public init(_ name: Name, bytes: UInt64, _ origin: Origin, allocates: Bool = true) {
        self.name = name
        self.bytes = bytes
        self.origin = origin
        self.allocates = allocates
    }
}

/// What a fit was asked for: everything beside the model that decides its size.
public struct FitParameters: Sendable, Hashable, Codable {
    public var contextTokens: Int
    public var batchTokens: Int
    public var microBatchTokens: Int
    /// Tokens of one step's largest batch that will really be computed; at most the micro batch.
    public var stepTokens: Int
    /// As ggml names them: "f16", "q8_0".
    public var cacheTypeK: String
    public var cacheTypeV: String
    /// "on", "off" or "auto".
    public var flashAttention: String
    /// "auto", "none", "mmap", "mlock", "mmap+mlock" or "direct-io".
    public var loadMode: String
    /// Layers for a GPU as asked for; nil for the engine's own choice.
    public var gpuLayers: Int?

    /// - Parameters:
    ///   - batchTokens, microBatchTokens: as asked; a batch is no longer than the context.
    ///   - promptTokens: the longest prompt that will be fed; nil when it is not known.
    public init(
        contextTokens: Int, batchTokens: Int = 2048, microBatchTokens: Int = 512, promptTokens: Int? = nil
    ) {
        self.contextTokens = max(1, contextTokens)
        self.batchTokens = min(max(1, batchTokens), self.contextTokens)
        self.microBatchTokens = min(max(1, microBatchTokens), self.batchTokens)
        stepTokens = min(max(1, promptTokens ?? .max), self.microBatchTokens)
        cacheTypeK = "f16"
        cacheTypeV = "f16"
        flashAttention = "auto"
        loadMode = "auto"
    }

    /// Whether the weights stay in the file and are mapped from it. llama.cpp's "auto" maps.
    public var mapsWeights: Bool { ["auto", "mmap", "mmap+mlock"].contains(loadMode) }

    enum CodingKeys: String, CodingKey {
        case contextTokens = "context_tokens"
        case batchTokens = "batch_tokens"
        case microBatchTokens = "micro_batch_tokens"
        case stepTokens = "step_tokens"
        case cacheTypeK = "cache_type_k"
        case cacheTypeV = "cache_type_v"
        case flashAttention = "flash_attention"
        case loadMode = "load_mode"
        case gpuLayers = "gpu_layers"
    }
}
