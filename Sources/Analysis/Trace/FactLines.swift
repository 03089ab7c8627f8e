/// The model's pages were dropped from the page cache before the cold load.
public struct PageCacheLine: Sendable, Hashable, Codable {
    public var path: String
    /// Share of the file that was resident, 0 to 1, before and after dropping it.
    public var before: Maybe<Double>
    public var after: Maybe<Double>
    /// Why they could not be dropped, where the system says so.
    public var refusal: String?

    public init(path: String, before: Maybe<Double>, after: Maybe<Double>, refusal: String? = nil) {
        self.path = path
        self.before = before
        self.after = after
        self.refusal = refusal
    }

    /// A file is cold when at most this share of it is resident: the pages its header was just read from.
    private static let coldShare = 0.01

    /// Why the load that followed was not seen to be cold; nil when it was.
    public var objection: String? {
        switch after {
        case .unavailable(let why): "the load was not seen to be cold: \(why.reason)"
        case .known(let share) where share > Self.coldShare:
            "the load was not cold: \((share * 100).inTenths) % of the model stayed in memory"
                + (refusal.map { ": \($0)" } ?? "")
        case .known: nil
        }
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

/// The verdicts on the machine's state (METRICS: "Conditions").
///
/// Several lines of one moment add up: the machine is looked at first, then its idleness, then the engine.
public struct ConditionsLine: Sendable, Hashable, Codable {
    public enum Moment: String, Sendable, Hashable, Codable { case before, after }

    public var moment: Moment
    public var checks: [Condition]
    /// Identity of the machine: product, CPU, kernel, distribution, usable CPUs, RAM; empty for `after`.
    public var identity: [String: Maybe<String>]
    /// Counts since the boot, as they stood: "throttle:package-0", "swap:in_pages". What became of them between
    /// two moments is a check of the analysis.
    public var counts: [String: Int64]

    public init(
        moment: Moment, checks: [Condition], identity: [String: Maybe<String>] = [:],
        counts: [String: Int64] = [:]
    ) {
        self.moment = moment
        self.checks = checks
        self.identity = identity
        self.counts = counts
    }

    enum CodingKeys: String, CodingKey { case moment, checks, identity, counts }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        moment = try container.decode(Moment.self, forKey: .moment)
        checks = try container.decode([Condition].self, forKey: .checks)
        identity = try container.decode([String: Maybe<String>].self, forKey: .identity)
        counts = try container.decodeIfPresent([String: Int64].self, forKey: .counts) ?? [:]
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(moment, forKey: .moment)
        try container.encode(checks, forKey: .checks)
        try container.encode(identity, forKey: .identity)
        if !counts.isEmpty { try container.encode(counts, forKey: .counts) }
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
    /// nil for a run that was interrupted or refused, that failed for a reason of ours, or that was completed
    /// without `--until-failure`.
    public var kind: Kind?

    public init(_ status: Status, part: Part? = nil, cause: String? = nil, kind: Kind? = nil) {
        self.status = status
        self.part = part
        self.cause = cause
        self.kind = kind
    }

    enum CodingKeys: String, CodingKey {
        case status, part, cause, signal, remedy, kind
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
