/// What a worker tells sustain: one JSON line each on the descriptor named by `SUSTAIN_EVENT_FD`.
///
/// docs/worker-protocol.md describes the conversation; `name` is the value of the line's `event` key.
public enum Event: Sendable, Hashable {
    case hello(Hello)
    case loaded(Loaded)
    case sized(Sized)
    case mark(Mark)
    case tokens(TokenBatch)
    case memory(MemoryReport)
    case tokenized(Tokenized)
    case scored(Scored)
    case done(Done)
    case error(WorkerError)

    public var name: String {
        switch self {
        case .hello: "hello"
        case .loaded: "loaded"
        case .sized: "sized"
        case .mark: "mark"
        case .tokens: "tokens"
        case .memory: "memory"
        case .tokenized: "tokenized"
        case .scored: "scored"
        case .done: "done"
        case .error: "error"
        }
    }
}

/// The first line of a worker: who it is and what is to be measured.
public struct Hello: Sendable, Hashable, Codable {
    /// The version this module speaks; a worker with another major version is refused.
    public static let currentProtocol = "sustain.worker/1"

    public enum Location: String, Sendable, Hashable, Codable { case local, remote }

    public var `protocol`: String
    /// Kind of engine: "llama", "server", "scripted", ...
    public var engine: String
    /// The engine's own version text.
    public var version: String
    /// What the engine says of its build: commit, compiler, instruction sets. Free text.
    public var build: String?
    /// "release", "debug", or nil when the engine cannot tell.
    public var buildType: String?
    /// Shared libraries that hold the engine's code, so that the parent can hash them.
    public var libraries: [String]
    /// The processes whose memory and counters belong to the engine; empty for a remote one.
    public var pids: [Int32]
    public var location: Location
    /// The clock of every `_ns` stamp; only "CLOCK_MONOTONIC" is accepted.
    public var clock: String
    /// False when tokens are counted by the text and not by the engine.
    public var countsTokens: Bool

    public init(
        engine: String, version: String, build: String? = nil, buildType: String? = nil,
        libraries: [String] = [], pids: [Int32], location: Location = .local, countsTokens: Bool = true
    ) {
        self.protocol = Self.currentProtocol
        self.engine = engine
        self.version = version
        self.build = build
        self.buildType = buildType
        self.libraries = libraries
        self.pids = pids
        self.location = location
        self.clock = "CLOCK_MONOTONIC"
        self.countsTokens = countsTokens
    }

    enum CodingKeys: String, CodingKey {
        case `protocol`, engine, version, build, libraries, pids, location, clock
        case buildType = "build_type"
        case countsTokens = "counts_tokens"
    }
}

/// The model is resident; what the engine made of the request.
public struct Loaded: Sendable, Hashable, Codable {
    /// The engine's one-line description of the model.
    public var description: String
    /// Number of parameters, nil when the engine cannot tell.
    public var parameters: UInt64?
    /// Bytes of all tensors.
    public var sizeBytes: UInt64?
    public var trainedContextTokens: Int?
    public var layers: Int?
    public var vocabularyTokens: Int?
    /// Compute backends in use: "CPU", "CUDA".
    public var backends: [String]
    /// Devices in use beside the CPU, with their PCI ids where known.
    public var devices: [Device]
    /// The parameters in force after loading, every one by its llama-bench-like name.
    public var effective: LoadRequest
    /// Shared libraries that hold the engine's code now; more than in `hello` where backends are plugins.
    public var libraries: [String]?
    /// What the engine says of its backends: instruction sets, options. Free text.
    public var systemInfo: String?

    public struct Device: Sendable, Hashable, Codable {
        public var name: String
        /// "0000:65:00.0", nil when the engine cannot tell.
        public var pciID: String?
        public init(name: String, pciID: String?) {
            self.name = name
            self.pciID = pciID
        }
        enum CodingKeys: String, CodingKey {
            case name
            case pciID = "pci_id"
        }
    }

    public init(description: String, backends: [String], effective: LoadRequest) {
        self.description = description
        self.backends = backends
        self.devices = []
        self.effective = effective
    }

    enum CodingKeys: String, CodingKey {
        case description, parameters, layers, backends, devices, effective, libraries
        case systemInfo = "system_info"
        case sizeBytes = "size_bytes"
        case trainedContextTokens = "trained_context_tokens"
        case vocabularyTokens = "vocabulary_tokens"
    }
}

/// A moment in the worker, sent at once.
public struct Mark: Sendable, Hashable, Codable {
    public enum Name: String, Sendable, Hashable, Codable, CaseIterable {
        case loadBegin = "load_begin"
        case loadEnd = "load_end"
        /// The prompt is handed to the engine.
        case submit
        /// The first generated token exists and the backend is idle; it comes with the prefill.
        case firstToken = "first_token"
        case lastToken = "last_token"
        case unloadBegin = "unload_begin"
        case unloadEnd = "unload_end"
    }

    public var mark: Name
    public var nanoseconds: UInt64
    /// The generation it belongs to; nil for loads and unloads.
    public var cycle: Int?
    public var stream: Int

    public init(_ mark: Name, nanoseconds: UInt64, cycle: Int? = nil, stream: Int = 0) {
        self.mark = mark
        self.nanoseconds = nanoseconds
        self.cycle = cycle
        self.stream = stream
    }

    enum CodingKeys: String, CodingKey {
        case mark, cycle, stream
        case nanoseconds = "t_ns"
    }
}

/// Stamps of consecutive generated tokens of one generation.
public struct TokenBatch: Sendable, Hashable, Codable {
    public var cycle: Int
    public var stream: Int
    /// Index of the first stamp in the generation; token 0 is the one that comes with the prefill.
    public var first: Int
    /// The first stamp, CLOCK_MONOTONIC nanoseconds.
    public var startNanoseconds: UInt64
    /// The time from each stamp to the next; one fewer than there are tokens in the batch.
    public var deltaNanoseconds: [UInt64]

    public init(cycle: Int, stream: Int, first: Int, startNanoseconds: UInt64, deltaNanoseconds: [UInt64]) {
        self.cycle = cycle
        self.stream = stream
        self.first = first
        self.startNanoseconds = startNanoseconds
        self.deltaNanoseconds = deltaNanoseconds
    }

    enum CodingKeys: String, CodingKey {
        case cycle, stream, first
        case startNanoseconds = "start_ns"
        case deltaNanoseconds = "delta_ns"
    }
}

/// Memory that only the worker can see, in bytes: a GPU allocator's, a model's mapping.
public struct MemoryReport: Sendable, Hashable, Codable {
    /// "before_load", "after_load", "after_first_token".
    public var point: String
    /// Bytes by name.
    public var bytes: [String: UInt64]

    public init(point: String, bytes: [String: UInt64]) {
        self.point = point
        self.bytes = bytes
    }
}

/// A command is finished.
public struct Done: Sendable, Hashable, Codable {
    public enum Stop: String, Sendable, Hashable, Codable {
        /// All tokens asked for were generated.
        case length
        /// Cut by the deadline of the request.
        case deadline
        /// Cut by `stop`.
        case stopped
        /// The engine could not go on: the context was full or the server cut it short.
        case truncated
    }

    /// The command that is finished: "generate", "unload".
    public var command: String
    public var cycle: Int?
    public var promptTokens: Int?
    public var generatedTokens: Int?
    public var stop: Stop?
    /// FNV-1a (64 bit, hexadecimal) over the little-endian 32-bit ids of the generated tokens.
    public var tokenHash: String?
    /// The request's, by a worker that kept to it; nil where there was none, or where it was not understood.
    public var prefillBatchTokens: Int?

    public init(command: String) { self.command = command }

    enum CodingKeys: String, CodingKey {
        case command, cycle, stop
        case promptTokens = "prompt_tokens"
        case generatedTokens = "generated_tokens"
        case tokenHash = "token_hash"
        case prefillBatchTokens = "prefill_batch_tokens"
    }
}

/// A command failed. The worker stays alive unless `fatal`.
public struct WorkerError: Sendable, Hashable, Codable {
    public var thing: String
    public var cause: String
    public var remedy: String?
    /// "out_of_memory", "device_out_of_memory", "refused", ...; nil when the cause has no class.
    public var code: String?
    public var fatal: Bool

    public init(thing: String, cause: String, remedy: String? = nil, code: String? = nil, fatal: Bool = false)
    {
        self.thing = thing
        self.cause = cause
        self.remedy = remedy
        self.code = code
        self.fatal = fatal
    }
}
