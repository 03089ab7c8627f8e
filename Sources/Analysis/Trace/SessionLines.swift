/// One of the builds that a session compares (`sustain compare`).
public struct VariantLine: Sendable, Hashable, Codable {
    /// Place in the order of the command line, from 0.
    public var index: Int
    /// What tables and sentences call it; no two of a session have one name.
    public var name: String
    /// The options that make it what it is, by their long names.
    public var options: JSONValue
    public var workload: Workload

    public init(index: Int, name: String, options: JSONValue, workload: Workload) {
        self.index = index
        self.name = name
        self.options = options
        self.workload = workload
    }
}

/// From here on artifact, engine, fit, memory and outcome are those of one variant; of the whole session where none
/// is named.
public struct TurnLine: Sendable, Hashable, Codable {
    public var variant: Int?
    public init(variant: Int?) { self.variant = variant }
}

/// How a session goes about it, written before its first load; the last one stands.
public struct SessionLine: Sendable, Hashable, Codable {
    /// Index of the variant that the others are held against.
    public var reference: Int
    /// ABBA quads planned for each variant against the reference.
    public var quads: Int
    /// Whether all variants stay in memory; else one is loaded at a time, again for each turn.
    public var resident: Bool
    /// Why, in words.
    public var residency: String
    /// No block is shorter; seconds.
    public var leastBlock: Seconds
    /// No block has fewer cycles.
    public var leastCycles: Int
    /// True where whole runs take turns: `quads` are then rounds with a run of each variant. Nil for blocks.
    public var wholeRuns: Bool?

    public init(
        reference: Int, quads: Int, resident: Bool, residency: String, leastBlock: Seconds, leastCycles: Int
    ) {
        self.reference = reference
        self.quads = quads
        self.resident = resident
        self.residency = residency
        self.leastBlock = leastBlock
        self.leastCycles = leastCycles
    }

    enum CodingKeys: String, CodingKey {
        case reference, quads, resident, residency
        case leastBlock = "least_block_s"
        case leastCycles = "least_cycles"
        case wholeRuns = "whole_runs"
    }
}

/// A run of a session of whole runs, written when it has ended. Its trace and record lie in a directory of its own
/// beside the session's.
public struct RunLine: Sendable, Hashable, Codable {
    /// How the wait before it ended.
    public enum Cooling: String, Sendable, Hashable, Codable {
        /// The first run of the session: the others begin as it did.
        case first
        /// Every temperature was back where it was when the first run began.
        case reached
        /// The longest wait was over before.
        case timedOut = "timed out"
        /// No temperature is read here: the wait was one of a fixed length.
        case blind
    }

    public var variant: Int
    /// From 0; a round has one run of each variant.
    public var round: Int
    /// Place in the order of its round, from 0.
    public var place: Int
    /// The run's id, the name of its directory.
    public var id: String
    /// When it was started.
    public var begin: Instant
    public var cooling: Cooling

    public init(variant: Int, round: Int, place: Int, id: String, begin: Instant, cooling: Cooling) {
        self.variant = variant
        self.round = round
        self.place = place
        self.id = id
        self.begin = begin
        self.cooling = cooling
    }

    enum CodingKeys: String, CodingKey {
        case variant, round, place, id, cooling
        case begin = "begin_ns"
    }
}

/// A block of generations of one variant that has ended: a quarter of a quad.
public struct BlockLine: Sendable, Hashable, Codable {
    /// What a variant did that was resident and had nothing to do: its CPU time, nanoseconds since its start, and
    /// what it did on GPUs.
    public struct Idle: Sendable, Hashable, Codable {
        public var variant: Int
        /// At the block's begin and at its end.
        public var before: UInt64
        public var after: UInt64
        /// The GPUs that it is on, or why none is known; nil where there is no GPU to ask.
        public var gpus: Maybe<[GPU]>?

        public init(variant: Int, before: UInt64, after: UInt64, gpus: Maybe<[GPU]>? = nil) {
            self.variant = variant
            self.before = before
            self.after = after
            self.gpus = gpus
        }

        enum CodingKeys: String, CodingKey {
            case variant, gpus
            case before = "cpu_ns_before"
            case after = "cpu_ns_after"
        }
    }

    /// What the samples that a driver made within the block credit a variant with.
    public struct GPU: Sendable, Hashable, Codable {
        /// The device of its sources' scope.
        public var device: String
        /// The largest percentage of the multiprocessors' time told of each of its processes that has a part in
        /// the samples: empty where none has. Or why there are no samples.
        public var percents: Maybe<[Int]>
        /// Processes of all others that have a part in them: what tells that samples were made at all.
        public var others: Int

        public init(device: String, percents: Maybe<[Int]>, others: Int) {
            self.device = device
            self.percents = percents
            self.others = others
        }

        enum CodingKeys: String, CodingKey {
            case device, others
            case percents = "sm_percent"
        }
    }

    /// Whose block it is.
    public var variant: Int
    /// The variant that the quad holds against the reference.
    public var against: Int
    /// Number of the quad among those of `against`, from 0.
    public var quad: Int
    /// 0 to 3: A B B A.
    public var place: Int
    /// The generations that count; those discarded after a switch lie before.
    public var firstCycle: Int
    public var lastCycle: Int
    public var idle: [Idle]

    public init(
        variant: Int, against: Int, quad: Int, place: Int, firstCycle: Int, lastCycle: Int, idle: [Idle]
    ) {
        self.variant = variant
        self.against = against
        self.quad = quad
        self.place = place
        self.firstCycle = firstCycle
        self.lastCycle = lastCycle
        self.idle = idle
    }

    enum CodingKeys: String, CodingKey {
        case variant, against, quad, place, idle
        case firstCycle = "first_cycle"
        case lastCycle = "last_cycle"
    }
}
