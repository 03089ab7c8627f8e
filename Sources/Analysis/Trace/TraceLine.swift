/// One line of a trace (`trace.jsonl`, schema "sustain.trace/1"): raw values, nothing derived.
///
/// In JSON each line is an object whose `type` is the case's name. Readers skip types they do not know.
public enum TraceLine: Sendable, Hashable {
    case header(TraceHeader)
    /// The workload in force from here on, where it is not the header's: another shape, a varied gap.
    case workload(Workload)
    case source(SourceLine)
    case sample(SampleLine)
    case mark(MarkLine)
    case tokens(TokensLine)
    case done(DoneLine)
    case memory(MemoryLine)
    case depth(DepthLine)
    case objection(ObjectionLine)
    case artifact(ArtifactLine)
    case pageCache(PageCacheLine)
    case bandwidth(BandwidthLine)
    case fit(FitReport)
    case engine(EngineLine)
    case gpuProcesses(GPUProcessesLine)
    case conditions(ConditionsLine)
    case capabilities(CapabilitiesLine)
    case overhead(OverheadLine)
    case warning(WarningLine)
    case outcome(OutcomeLine)
    case variant(VariantLine)
    case turn(TurnLine)
    case session(SessionLine)
    case block(BlockLine)
    case run(RunLine)
    /// What a variant says, held against the reference: the rows of logits that tell it are not kept.
    case parity(ParityResult)
    /// The last line of a trace that was ended in order; without it the run was interrupted.
    case end(EndLine)
    /// A line of a later minor version.
    case unknown(type: String)
}

/// The first line of every trace.
public struct TraceHeader: Sendable, Hashable, Codable {
    public static let currentSchema = "sustain.trace/1"

    public var schema: String = currentSchema
    /// The run id, `20261130T005600Z-<slug>-<6 hex>`.
    public var id: String
    /// The one wall-clock anchor of the run, ISO 8601 in UTC, taken at `start`.
    public var wallClock: String
    /// CLOCK_MONOTONIC at the anchor.
    public var start: Instant
    /// CLOCK_BOOTTIME - CLOCK_MONOTONIC at the anchor; a later change means that the machine slept.
    public var sleptNanoseconds: Int64
    public var tool: ToolBuild
    /// The command line's options after defaults, by their long names.
    public var options: JSONValue
    public var workload: Workload
    public var label: String?

    public init(
        id: String, wallClock: String, start: Instant, sleptNanoseconds: Int64, tool: ToolBuild,
        options: JSONValue, workload: Workload, label: String? = nil
    ) {
        self.id = id
        self.wallClock = wallClock
        self.start = start
        self.sleptNanoseconds = sleptNanoseconds
        self.tool = tool
        self.options = options
        self.workload = workload
        self.label = label
    }

    enum CodingKeys: String, CodingKey {
        case schema, id, tool, options, workload, label
        case wallClock = "wall_clock"
        case start = "t_ns"
        case sleptNanoseconds = "slept_ns"
    }
}

/// Which `sustain` wrote the trace.
public struct ToolBuild: Sendable, Hashable, Codable {
    public var version: String
    public var commit: String
    /// "release" or "debug".
    public var buildType: String
    public var compiler: String

    public init(version: String, commit: String, buildType: String, compiler: String) {
        self.version = version
        self.commit = commit
        self.buildType = buildType
        self.compiler = compiler
    }

    enum CodingKeys: String, CodingKey {
        case version, commit, compiler
        case buildType = "build_type"
    }
}

/// The workload protocol of a run: its name fixes the shapes.
public struct Workload: Sendable, Hashable, Codable {
    /// "sustained-v1", "sustained-slow-v1", "deep", "pb-random-v1", "until-failure-v1",
    /// "custom-pP-nN".
    public var name: String
    public var promptTokens: Int
    public var generatedTokens: Int
    public var contextTokens: Int
    /// Length of the sustained part asked for (`--seconds`).
    public var seconds: Seconds
    /// End after this many cycles (`-r`), nil for none.
    public var cycles: Int?
    public var sampling: String
    public var seed: UInt64
    /// Prompt tokens that the engine takes at a time, where the protocol fixes it; nil for its own batch.
    public var prefillBatchTokens: Int?
    /// True where all generations have one prompt; nil where each has its own (seed + cycle).
    public var fixedPrompt: Bool?
    /// After each cycle nothing runs for 0 up to this long, at random; nil for no such gap.
    public var variedGap: Seconds?

    public init(
        name: String, promptTokens: Int, generatedTokens: Int, contextTokens: Int, seconds: Seconds,
        cycles: Int?, sampling: String, seed: UInt64
    ) {
        self.name = name
        self.promptTokens = promptTokens
        self.generatedTokens = generatedTokens
        self.contextTokens = contextTokens
        self.seconds = seconds
        self.cycles = cycles
        self.sampling = sampling
        self.seed = seed
    }

    enum CodingKeys: String, CodingKey {
        case name, seconds, cycles, sampling, seed
        case promptTokens = "prompt_tokens"
        case generatedTokens = "generated_tokens"
        case contextTokens = "context_tokens"
        case prefillBatchTokens = "prefill_batch_tokens"
        case fixedPrompt = "fixed_prompt"
        case variedGap = "varied_gap_s"
    }
}

/// What the session is doing: the part of the run a mark belongs to.
public enum Part: String, Sendable, Hashable, Codable, CaseIterable {
    case idleBefore = "idle_before"
    case loadCold = "load_cold"
    case loadWarm = "load_warm"
    case firstToken = "first_token"
    case loadedIdle = "loaded_idle"
    case fromIdle = "from_idle"
    case warmup
    case sustained
    /// Ever longer contexts, each loaded, filled and unloaded (`--until-failure`).
    case deepening
    case unload
    case idleAfter = "idle_after"
}

/// A moment: an edge of a part (by the session) or of a phase (by the worker's own clock stamp).
public struct MarkLine: Sendable, Hashable, Codable {
    public enum Name: String, Sendable, Hashable, Codable, CaseIterable {
        /// Edges of a part, stamped by the session.
        case begin, end
        /// Stamped by the worker (docs/worker-protocol.md).
        case loadBegin = "load_begin"
        case loadEnd = "load_end"
        case submit
        case firstToken = "first_token"
        case lastToken = "last_token"
        case unloadBegin = "unload_begin"
        case unloadEnd = "unload_end"
        /// The deadline of the sustained part is fixed: t = 0 is this mark's stamp.
        case sustainedStart = "sustained_start"
    }

    public var name: Name
    public var part: Part
    public var time: Instant
    public var cycle: Int?
    public var stream: Int?

    public init(_ name: Name, part: Part, time: Instant, cycle: Int? = nil, stream: Int? = nil) {
        self.name = name
        self.part = part
        self.time = time
        self.cycle = cycle
        self.stream = stream
    }

    enum CodingKeys: String, CodingKey {
        case name = "mark"
        case part, cycle, stream
        case time = "t_ns"
    }
}

/// Stamps of consecutive generated tokens, as the worker batched them.
public struct TokensLine: Sendable, Hashable, Codable {
    public var cycle: Int
    public var stream: Int
    /// Index of the first stamp in its generation; token 0 comes with the prefill.
    public var first: Int
    public var start: Instant
    /// From each stamp to the next; one fewer than there are tokens.
    public var deltas: [UInt64]

    public init(cycle: Int, stream: Int, first: Int, start: Instant, deltas: [UInt64]) {
        self.cycle = cycle
        self.stream = stream
        self.first = first
        self.start = start
        self.deltas = deltas
    }

    enum CodingKeys: String, CodingKey {
        case cycle, stream, first
        case start = "start_ns"
        case deltas = "delta_ns"
    }
}

/// A generation ended: what the worker counted.
public struct DoneLine: Sendable, Hashable, Codable {
    public var part: Part
    public var cycle: Int
    public var promptTokens: Int
    public var generatedTokens: Int
    /// "length", "deadline", "stopped" or "truncated".
    public var stop: String
    public var tokenHash: String?

    public init(
        part: Part, cycle: Int, promptTokens: Int, generatedTokens: Int, stop: String, tokenHash: String?
    ) {
        self.part = part
        self.cycle = cycle
        self.promptTokens = promptTokens
        self.generatedTokens = generatedTokens
        self.stop = stop
        self.tokenHash = tokenHash
    }

    enum CodingKeys: String, CodingKey {
        case part, cycle, stop
        case promptTokens = "prompt_tokens"
        case generatedTokens = "generated_tokens"
        case tokenHash = "token_hash"
    }
}
