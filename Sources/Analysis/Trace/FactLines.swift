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
        case path, sha256, format, name, architecture, quantization, parameters, layers, weights, parts, source
        case producer
        case sizeBytes = "size_bytes"
        case tensorBytes = "tensor_bytes"
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

/// The model's pages were dropped from the page cache before the cold load.
public struct PageCacheLine: Sendable, Hashable, Codable {
    public var path: String
    /// Share of the file that was resident, 0 to 1, before and after dropping it.
    public var before: Maybe<Double>
    public var after: Maybe<Double>

    public init(path: String, before: Maybe<Double>, after: Maybe<Double>) {
        self.path = path
        self.before = before
        self.after = after
    }
}

/// The engine: who the worker said it is, and what it made of the load.
public struct EngineLine: Sendable, Hashable, Codable {
    /// "llama", "server", "exec:<name>".
    public var kind: String
    public var version: String
    public var build: String?
    public var buildType: String?
    /// SHA-256 by path of the shared libraries that hold the engine.
    public var libraries: [String: Maybe<String>]
    public var location: String
    public var pids: [Int32]
    public var countsTokens: Bool
    /// Parameters in force, by their llama-bench-like names; empty before the load.
    public var parameters: JSONValue
    public var backends: [String]
    /// PCI ids of the devices in use.
    public var devices: [String]
    public var modelDescription: String?

    public init(kind: String, version: String) {
        self.kind = kind
        self.version = version
        self.libraries = [:]
        self.location = "local"
        self.pids = []
        self.countsTokens = true
        self.parameters = .object([:])
        self.backends = []
        self.devices = []
    }

    enum CodingKeys: String, CodingKey {
        case kind, version, build, libraries, location, pids, parameters, backends, devices
        case buildType = "build_type"
        case countsTokens = "counts_tokens"
        case modelDescription = "model_description"
    }
}

/// Memory of the worker at a named point, in bytes.
public struct MemoryLine: Sendable, Hashable, Codable {
    public enum Point: String, Sendable, Hashable, Codable {
        case beforeLoad = "before_load"
        case afterLoad = "after_load"
        case afterFirstToken = "after_first_token"
        case atEnd = "at_end"
        case afterUnload = "after_unload"
    }

    public var point: Point
    public var time: Instant
    /// By name: "rss", "anonymous", "file_mapped", "peak_rss", "swap", and what the worker itself reports.
    public var bytes: [String: UInt64]
    /// Why `bytes` lacks the process's own: "engine runs elsewhere".
    public var reason: String?

    public init(point: Point, time: Instant, bytes: [String: UInt64], reason: String? = nil) {
        self.point = point
        self.time = time
        self.bytes = bytes
        self.reason = reason
    }

    enum CodingKeys: String, CodingKey {
        case point, bytes, reason
        case time = "t_ns"
    }
}

/// The verdicts on the machine's state (METRICS: "Conditions").
public struct ConditionsLine: Sendable, Hashable, Codable {
    public enum Moment: String, Sendable, Hashable, Codable { case before, after }

    public var moment: Moment
    public var checks: [Condition]
    /// Identity of the machine: product, CPU, kernel, distribution, usable CPUs, RAM; empty for `after`.
    public var identity: [String: Maybe<String>]

    public init(moment: Moment, checks: [Condition], identity: [String: Maybe<String>] = [:]) {
        self.moment = moment
        self.checks = checks
        self.identity = identity
    }
}

/// One condition with the value seen.
public struct Condition: Sendable, Hashable, Codable {
    public enum Verdict: String, Sendable, Hashable, Codable {
        case pass
        case fail
        case cannotTell = "cannot tell"
    }

    /// "release_build", "governor", "other_load", ...
    public var name: String
    public var verdict: Verdict
    /// What was seen, as text; the reason when the verdict is `cannot tell`.
    public var seen: String

    public init(_ name: String, _ verdict: Verdict, seen: String) {
        self.name = name
        self.verdict = verdict
        self.seen = seen
    }
}

/// The capability table: every source that was looked for, in its state.
public struct CapabilitiesLine: Sendable, Hashable, Codable {
    public struct Row: Sendable, Hashable, Codable {
        public var id: String
        public var status: SourceLine.Status
        /// Why, when the status is not `ok`.
        public var reason: String?
        /// The exact remedy, when there is one.
        public var remedy: String?
        public init(id: String, status: SourceLine.Status, reason: String? = nil, remedy: String? = nil) {
            self.id = id
            self.status = status
            self.reason = reason
            self.remedy = remedy
        }
    }

    public var rows: [Row]
    public init(rows: [Row]) { self.rows = rows }
}

/// What measuring cost: the sampler's and the run thread's own use.
public struct OverheadLine: Sendable, Hashable, Codable {
    public var samplerCPUNanoseconds: UInt64
    public var processCPUNanoseconds: UInt64
    public var wallNanoseconds: UInt64
    public var ticks: UInt64
    public var missedDeadlines: UInt64
    /// Largest lateness of a tick.
    public var worstJitterNanoseconds: UInt64
    /// Ticks lost because the ring was full.
    public var lostTicks: UInt64
    public var peakRSSBytes: UInt64?

    public init(
        samplerCPUNanoseconds: UInt64, processCPUNanoseconds: UInt64, wallNanoseconds: UInt64,
        ticks: UInt64, missedDeadlines: UInt64, worstJitterNanoseconds: UInt64, lostTicks: UInt64,
        peakRSSBytes: UInt64?
    ) {
        self.samplerCPUNanoseconds = samplerCPUNanoseconds
        self.processCPUNanoseconds = processCPUNanoseconds
        self.wallNanoseconds = wallNanoseconds
        self.ticks = ticks
        self.missedDeadlines = missedDeadlines
        self.worstJitterNanoseconds = worstJitterNanoseconds
        self.lostTicks = lostTicks
        self.peakRSSBytes = peakRSSBytes
    }

    enum CodingKeys: String, CodingKey {
        case ticks
        case samplerCPUNanoseconds = "sampler_cpu_ns"
        case processCPUNanoseconds = "process_cpu_ns"
        case wallNanoseconds = "wall_ns"
        case missedDeadlines = "missed_deadlines"
        case worstJitterNanoseconds = "worst_jitter_ns"
        case lostTicks = "lost_ticks"
        case peakRSSBytes = "peak_rss_bytes"
    }
}

/// Something a reader of the record should know.
public struct WarningLine: Sendable, Hashable, Codable {
    public var text: String
    public init(_ text: String) { self.text = text }
}

/// How the run ended.
public struct OutcomeLine: Sendable, Hashable, Codable {
    public enum Status: String, Sendable, Hashable, Codable {
        case completed
        case interrupted
        case engineFailed = "engine_failed"
        case failed
        case refused
    }

    public var status: Status
    /// In which part it ended early.
    public var part: Part?
    /// What happened: "SIGSEGV", "exit status 3", "wrote garbage: ...", "No space left on device".
    public var cause: String?
    public var signal: Int32?
    public var exitStatus: Int32?
    public var remedy: String?

    public init(_ status: Status, part: Part? = nil, cause: String? = nil) {
        self.status = status
        self.part = part
        self.cause = cause
    }

    enum CodingKeys: String, CodingKey {
        case status, part, cause, signal, remedy
        case exitStatus = "exit_status"
    }
}

/// The end of a trace.
public struct EndLine: Sendable, Hashable, Codable {
    public var time: Instant
    /// CLOCK_BOOTTIME - CLOCK_MONOTONIC at the end.
    public var sleptNanoseconds: Int64
    public init(time: Instant, sleptNanoseconds: Int64) {
        self.time = time
        self.sleptNanoseconds = sleptNanoseconds
    }
    enum CodingKeys: String, CodingKey {
        case time = "t_ns"
        case sleptNanoseconds = "slept_ns"
    }
}
