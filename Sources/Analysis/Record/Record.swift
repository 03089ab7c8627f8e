/// The record of one run (`run.json`, schema "sustain.run/1"): every figure a pure function of the trace.
///
/// Keys are always there; what could not be measured holds `{"unavailable": reason}`.
public struct Record: Sendable, Hashable, Codable {
    public static let currentSchema = "sustain.run/1"

    public var schema: String = currentSchema
    public var id: String
    public var label: String?
    /// The run's wall-clock anchor, ISO 8601 in UTC.
    public var started: String
    public var tool: ToolBuild
    public var artifact: Maybe<ArtifactLine>
    public var engine: Maybe<EngineSummary>
    public var `protocol`: Workload
    public var options: JSONValue
    public var environment: Environment
    public var sources: [SourceSummary]
    public var total: Total
    public var windows: [Window]
    /// Every generation of the run, in order; nil in records of a version that did not keep them.
    public var generations: [GenerationSummary]?
    public var metrics: Metrics
    public var memory: MemorySummary
    /// How deep a run with `--until-failure` came; nil for every other.
    public var depths: DepthSummary?
    public var overhead: Maybe<OverheadSummary>
    public var warnings: [String]
    public var outcome: OutcomeSummary

    public init(
        id: String, label: String?, started: String, tool: ToolBuild, artifact: Maybe<ArtifactLine>,
        engine: Maybe<EngineSummary>, protocol workload: Workload, options: JSONValue,
        environment: Environment, sources: [SourceSummary], total: Total, windows: [Window],
        metrics: Metrics, memory: MemorySummary, overhead: Maybe<OverheadSummary>, warnings: [String],
        outcome: OutcomeSummary
    ) {
        self.id = id
        self.label = label
        self.started = started
        self.tool = tool
        self.artifact = artifact
        self.engine = engine
        self.protocol = workload
        self.options = options
        self.environment = environment
        self.sources = sources
        self.total = total
        self.windows = windows
        self.metrics = metrics
        self.memory = memory
        self.overhead = overhead
        self.warnings = warnings
        self.outcome = outcome
    }
}

/// The engine in a record: the trace's line with the one hash that names the build.
public struct EngineSummary: Sendable, Hashable, Codable {
    public var kind: String
    /// Version and what the engine says of its build.
    public var build: String
    public var buildType: Maybe<String>
    /// SHA-256 of the engine's main shared library.
    public var librarySHA256: Maybe<String>
    public var libraries: [String: Maybe<String>]
    public var parameters: JSONValue
    public var backends: [String]
    public var location: String
    /// "exact", or "estimated" where the engine does not count tokens.
    public var tokenCounts: String
    public var modelDescription: String?

    public init(
        kind: String, build: String, buildType: Maybe<String>, librarySHA256: Maybe<String>,
        libraries: [String: Maybe<String>], parameters: JSONValue, backends: [String], location: String,
        tokenCounts: String, modelDescription: String?
    ) {
        self.kind = kind
        self.build = build
        self.buildType = buildType
        self.librarySHA256 = librarySHA256
        self.libraries = libraries
        self.parameters = parameters
        self.backends = backends
        self.location = location
        self.tokenCounts = tokenCounts
        self.modelDescription = modelDescription
    }

    enum CodingKeys: String, CodingKey {
        case kind, build, libraries, parameters, backends, location
        case buildType = "build_type"
        case librarySHA256 = "library_sha256"
        case tokenCounts = "token_counts"
        case modelDescription = "model_description"
    }
}

/// Machine and conditions of a run.
public struct Environment: Sendable, Hashable, Codable {
    public struct Filter: Sendable, Hashable, Codable {
        /// Verdict by check, before and after merged: a check that failed once has failed.
        public var verdicts: [Condition]
        /// True when a failed check keeps the run out of medians, frontier and baselines.
        public var excluded: Bool
        public init(verdicts: [Condition], excluded: Bool) {
            self.verdicts = verdicts
            self.excluded = excluded
        }
    }

    public var identity: [String: Maybe<String>]
    public var before: [Condition]
    public var after: Maybe<[Condition]>
    public var filter: Filter

    public init(
        identity: [String: Maybe<String>], before: [Condition], after: Maybe<[Condition]>, filter: Filter
    ) {
        self.identity = identity
        self.before = before
        self.after = after
        self.filter = filter
    }
}

/// One source over the whole run.
public struct SourceSummary: Sendable, Hashable, Codable {
    public var id: String
    public var kind: Maybe<SourceLine.Kind>
    public var scope: Maybe<SourceLine.Scope>
    /// Which interface, and which of its fields, it was read through; nil for what was not opened.
    public var interface: String?
    /// How the value is made where the device does not tell it; nil for a value as it was read.
    public var derivation: String?
    /// How often it was read and why; nil for what was read at the common interval.
    public var pace: String?
    public var status: SourceLine.Status
    public var reason: String?
    public var remedy: String?
    /// Median time between movements of the value, seconds.
    public var updatePeriodSeconds: Figure
    public var wraps: Int
    public var resets: Int
    /// Spans without usable energy, seconds since the trace's start.
    public var voidIntervals: [VoidInterval]
    /// What the vendor says of the sensor's accuracy; nil for what is no energy source.
    public var sensorAccuracy: Maybe<SensorAccuracy>?
    /// The fit of a counter too slow for the edges of all phases, or why it was refused; nil where none is
    /// needed.
    public var phaseFit: Maybe<PhaseFitSummary>?

    public struct VoidInterval: Sendable, Hashable, Codable {
        public var begin: Double
        public var end: Double
        public var reason: String
        public init(begin: Double, end: Double, reason: String) {
            self.begin = begin
            self.end = end
            self.reason = reason
        }
    }

    public init(
        id: String, kind: Maybe<SourceLine.Kind>, scope: Maybe<SourceLine.Scope>, status: SourceLine.Status,
        reason: String? = nil, remedy: String? = nil, updatePeriodSeconds: Figure, wraps: Int = 0,
        resets: Int = 0, voidIntervals: [VoidInterval] = []
    ) {
        self.id = id
        self.kind = kind
        self.scope = scope
        self.status = status
        self.reason = reason
        self.remedy = remedy
        self.updatePeriodSeconds = updatePeriodSeconds
        self.wraps = wraps
        self.resets = resets
        self.voidIntervals = voidIntervals
    }

    enum CodingKeys: String, CodingKey {
        case id, kind, scope, interface, derivation, pace, status, reason, remedy, wraps, resets
        case updatePeriodSeconds = "update_period_s"
        case voidIntervals = "void_intervals"
        case sensorAccuracy = "sensor_accuracy"
        case phaseFit = "phase_fit"
    }
}

/// The one set of non-overlapping scopes whose sum is "the energy" of the run.
public struct Total: Sendable, Hashable, Codable {
    public struct Exclusion: Sendable, Hashable, Codable {
        public var id: String
        public var reason: String
        public init(id: String, reason: String) {
            self.id = id
            self.reason = reason
        }
    }

    public var includes: [String]
    public var excludes: [Exclusion]
    /// What is summed, in words: "package + dram", "GPU only".
    public var scope: String?
    /// By which rule the GPUs of the total were chosen, when there are any.
    public var gpuRule: String?
    /// Why `includes` is empty, when it is.
    public var unavailable: String?

    public init(
        includes: [String], excludes: [Exclusion], scope: String? = nil, gpuRule: String? = nil,
        unavailable: String? = nil
    ) {
        self.includes = includes
        self.excludes = excludes
        self.scope = scope
        self.gpuRule = gpuRule
        self.unavailable = unavailable
    }

    enum CodingKeys: String, CodingKey {
        case includes, excludes, scope, unavailable
        case gpuRule = "gpu_rule"
    }
}

/// A named span of the run with its counts; times in seconds since the trace's start.
public struct Window: Sendable, Hashable, Codable {
    public var name: String
    public var part: Part
    public var cycle: Int?
    public var begin: Double
    public var end: Double
    /// Prompt tokens of a prefill, decode steps of a decode, generated tokens of a cycle, nil elsewhere.
    public var tokens: Int?
    /// False for a generation that was cut or lacks a mark, and for a part without its end mark.
    public var whole: Bool
    /// Who else used the machine; nil in records of a version that did not look.
    public var contention: Maybe<Contention>?

    public init(
        name: String, part: Part, cycle: Int?, begin: Double, end: Double, tokens: Int?, whole: Bool,
        contention: Maybe<Contention>? = nil
    ) {
        self.name = name
        self.part = part
        self.cycle = cycle
        self.begin = begin
        self.end = end
        self.tokens = tokens
        self.whole = whole
        self.contention = contention
    }
}

/// How the run ended.
public struct OutcomeSummary: Sendable, Hashable, Codable {
    public var status: OutcomeLine.Status
    public var part: Part?
    public var cause: String?
    public var signal: Int32?
    public var exitStatus: Int32?
    public var remedy: String?
    /// What ended it, for programs; nil where nothing did, and in records of versions that did not tell.
    public var kind: OutcomeLine.Kind?
    /// What the engine was at; nil for a completed run.
    public var last: LastState?

    public init(_ line: OutcomeLine, last: LastState? = nil) {
        self.last = last
        status = line.status
        part = line.part
        cause = line.cause
        signal = line.signal
        exitStatus = line.exitStatus
        remedy = line.remedy
        kind = line.kind
    }

    enum CodingKeys: String, CodingKey {
        case status, part, cause, signal, remedy, kind, last
        case exitStatus = "exit_status"
    }
}
