/// A comparison (`session.json`, schema "sustain.session/1"): every figure a pure function of the session's trace.
public struct SessionDocument: Sendable, Hashable, Codable {
    public static let currentSchema = "sustain.session/1"

    public var schema: String = currentSchema
    public var id: String
    public var label: String?
    /// The session's wall-clock anchor, ISO 8601 in UTC.
    public var started: String
    public var tool: ToolBuild
    /// The reference's.
    public var `protocol`: Workload
    public var options: JSONValue
    public var environment: Environment
    public var total: Total
    /// Name of the variant that the others are held against.
    public var reference: String
    public var residency: Residency
    public var variants: [Variant]
    /// One a variant that is not the reference.
    public var comparisons: [Comparison]
    public var gates: [Gate]
    /// In the order of time; none in a session of whole runs.
    public var blocks: [Block]
    /// In the order of time; nil in a session of blocks.
    public var runs: [Run]?
    /// Power of the idle machine, sampled once for all, watts.
    public var idleWatts: Figure
    public var overhead: Maybe<OverheadSummary>
    public var warnings: [String]
    public var outcome: OutcomeSummary

    /// Which variants were in memory together.
    public struct Residency: Sendable, Hashable, Codable {
        /// "resident", or "reloaded" where one is loaded at a time.
        public var mode: String
        public var reason: String
    }

    /// One build.
    public struct Variant: Sendable, Hashable, Codable {
        public var name: String
        public var options: JSONValue
        public var artifact: Maybe<ArtifactLine>
        public var engine: Maybe<EngineSummary>
        /// By metric, over all of its blocks.
        public var figures: [String: Figure]
        public var memory: Memory
        /// Cores it used while another had its turn: the largest of all blocks.
        public var idleCores: Maybe<Double>
        /// Share of a GPU's time that it used while another had its turn: the mean of all blocks, on the GPU where it
        /// is largest. Nil where there is no GPU.
        public var idleGPU: Maybe<Double>?
        /// What its answers are worth against the reference's.
        public var parity: Maybe<ParityResult>
        /// "completed", or how it failed.
        public var outcome: OutcomeSummary

        enum CodingKeys: String, CodingKey {
            case name, options, artifact, engine, figures, memory, parity, outcome
            case idleCores = "idle_cores"
            case idleGPU = "idle_gpu"
        }
    }

    public struct Memory: Sendable, Hashable, Codable {
        public var peakRSSBytes: Figure
        public var peakAnonymousBytes: Figure
        /// Whose memory holds the model: "mapped", "anonymous", "gpu", "not our process".
        public var accounting: String

        enum CodingKeys: String, CodingKey {
            case accounting
            case peakRSSBytes = "peak_rss_bytes"
            case peakAnonymousBytes = "peak_anonymous_bytes"
        }
    }

    /// A variant against the reference.
    public struct Comparison: Sendable, Hashable, Codable {
        public var variant: String
        /// Whole quads; of a session of whole runs, pairs of runs.
        public var quads: Int
        public var quadsPlanned: Int
        /// By metric.
        public var effects: [String: Maybe<Effect>]
        public var differsIn: [Difference]
        /// More than one of them: what made the difference cannot be told.
        public var confounded: Bool
        /// The verdict in words.
        public var sentence: String

        enum CodingKeys: String, CodingKey {
            case variant, quads, effects, confounded, sentence
            case quadsPlanned = "quads_planned"
            case differsIn = "differs_in"
        }
    }

    public struct Effect: Sendable, Hashable, Codable {
        /// variant / reference.
        public var ratio: Figure
        /// "different" or "no detectable difference".
        public var verdict: String
        /// What pairs without a difference may come to in this session, as a share.
        public var floor: Double
        /// The smallest share that a session like this tells four times in five.
        public var minimumDetectable: Double
        /// Quads, or pairs of runs, that have a value for it.
        public var quads: Int

        enum CodingKeys: String, CodingKey {
            case ratio, verdict, floor, quads
            case minimumDetectable = "minimum_detectable"
        }
    }

    /// One `--fail-if` against one variant.
    public struct Gate: Sendable, Hashable, Codable {
        public enum Verdict: String, Sendable, Hashable, Codable {
            case passed, failed, inconclusive, unavailable
        }

        /// As it was given.
        public var gate: String
        public var variant: String
        public var verdict: Verdict
        /// Why there is nothing to judge; nil where there is.
        public var reason: String?
    }

    public struct Block: Sendable, Hashable, Codable {
        public var variant: String
        /// The variant that its quad holds against the reference.
        public var against: String
        public var quad: Int
        /// 0 to 3: A B B A.
        public var place: Int
        /// Seconds since the trace's start.
        public var begin: Double
        public var end: Double
        public var cycles: Int
        public var values: [String: Maybe<Double>]
        /// Who else used the machine.
        public var contention: Maybe<Contention>
    }

    /// One of the whole runs that took turns; its record is in the directory of its id.
    public struct Run: Sendable, Hashable, Codable {
        public var variant: String
        /// From 0; a round has one run of each variant.
        public var round: Int
        public var place: Int
        public var id: String
        /// How the wait before it ended.
        public var cooling: RunLine.Cooling
        /// What was read before it began, degrees Celsius by source.
        public var startedAt: [String: Double]
        /// By metric.
        public var values: [String: Maybe<Double>]
        /// A condition failed, so that its record is kept out of medians; it counts here all the same.
        public var excluded: Bool
        public var outcome: OutcomeSummary

        enum CodingKeys: String, CodingKey {
            case variant, round, place, id, cooling, values, excluded, outcome
            case startedAt = "started_at_celsius"
        }
    }

    enum CodingKeys: String, CodingKey {
        case schema, id, label, started, tool, options, environment, total, reference, residency, variants
        case comparisons, gates, blocks, runs, overhead, warnings, outcome
        case `protocol`
        case idleWatts = "idle_watts"
    }
}
