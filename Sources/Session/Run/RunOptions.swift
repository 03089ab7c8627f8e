import Analysis
import Engines
import WorkerProtocol

/// Everything a run was asked for, after defaults and checks of each value on its own.
public struct RunOptions: Sendable {
    public enum Engine: Sendable, Hashable {
        /// The llama.cpp worker; `libraries` is another directory to take libllama from.
        case llama(libraries: String?)
        /// Any program that speaks the worker protocol: its words, already split on spaces.
        case exec([String])

        /// The program to start and its arguments.
        ///
        /// - Throws: a `Failure` (exit 5) that lists where a missing program was looked for.
        func command() throws(Failure) -> (executable: String, arguments: [String]) {
            switch self {
            case .llama(let libraries):
                if let libraries { try LlamaLibraries.check(libraries) }
                return (try WorkerLocator.bundled().find("sustain-llama"), [])
            case .exec(let words):
                guard let program = words.first else {
                    throw Failure(thing: "--exec", cause: "names no program", exit: .usage)
                }
                return (try WorkerLocator.inPath().find(program), Array(words.dropFirst()))
            }
        }
    }

    public enum Warmup: Sendable, Hashable {
        /// Until two cycles in a row agree, within a tenth of `seconds`.
        case auto
        case cycles(Int)
    }

    /// Model file; nil only for an `exec` engine that needs none.
    public var model: String?
    public var engine: Engine
    /// What was asked for, and what it comes to: before the model is known, then with it.
    public var request: WorkloadRequest
    public private(set) var workload: Workload
    public var load: LoadOptions
    /// How long an engine that owes an answer may say nothing.
    public var engineTimeout: Seconds
    public var idle: Seconds
    public var interval: Nanoseconds
    public var warmup: Warmup
    /// `--power`, checked by Energy.
    public var power: String
    public var requireEnergy: Bool
    /// Refuse to start when a condition fails (exit 4).
    public var strict: Bool
    /// Variables added to the worker's environment.
    public var environment: [(name: String, value: String)]
    /// Directory that run directories are made in.
    public var output: String
    public var label: String?
    public var sysfs: String
    public var procfs: String
    /// The options as the trace's header keeps them.
    public var recorded: JSONValue
    /// What finished runs tell of memory: the fit is learnt from them.
    public var history: [FitObservation] = []

    public init(
        model: String?, engine: Engine, request: WorkloadRequest, load: LoadOptions,
        engineTimeout: Seconds, idle: Seconds, interval: Nanoseconds, warmup: Warmup, power: String,
        requireEnergy: Bool, strict: Bool, environment: [(name: String, value: String)], output: String,
        label: String?, sysfs: String, procfs: String, recorded: JSONValue
    ) throws(Failure) {
        workload = try request.workload(trainedContext: nil)
        self.model = model
        self.engine = engine
        self.request = request
        self.load = load
        self.engineTimeout = engineTimeout
        self.idle = idle
        self.interval = interval
        self.warmup = warmup
        self.power = power
        self.requireEnergy = requireEnergy
        self.strict = strict
        self.environment = environment
        self.output = output
        self.label = label
        self.sysfs = sysfs
        self.procfs = procfs
        self.recorded = recorded
    }

    /// Takes account of the context that the model was trained with.
    mutating func fit(trainedContext: UInt64?) throws(Failure) {
        workload = try request.workload(trainedContext: trainedContext)
    }
}

/// The engine parameters of a run; nil leaves the engine's default.
public struct LoadOptions: Sendable, Hashable {
    public var batchTokens: Int?
    public var microBatchTokens: Int?
    public var threads: Int?
    public var gpuLayers: Int?
    public var cacheTypeK: String?
    public var cacheTypeV: String?
    public var flashAttention: String?
    public var loadMode: String?

    public init() {}

    /// Whether both keep keys and values in the same types, as far as they are told.
    func hasCache(of other: LoadOptions) -> Bool {
        (cacheTypeK ?? "f16") == (other.cacheTypeK ?? "f16")
            && (cacheTypeV ?? "f16") == (other.cacheTypeV ?? "f16")
    }

    /// What a worker is asked to load, or to size.
    func request(model: String, contextTokens: Int) -> LoadRequest {
        var request = LoadRequest(model: model)
        request.contextTokens = contextTokens
        request.batchTokens = batchTokens
        request.microBatchTokens = microBatchTokens
        request.threads = threads
        request.gpuLayers = gpuLayers
        request.cacheTypeK = cacheTypeK
        request.cacheTypeV = cacheTypeV
        request.flashAttention = flashAttention
        request.loadMode = loadMode
        return request
    }
}
