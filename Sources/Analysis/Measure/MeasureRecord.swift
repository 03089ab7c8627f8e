/// What `sustain measure` tells of a command (schema "sustain.measure/1", docs/measure.schema.json).
///
/// Keys are always there; what could not be measured holds `{"unavailable": reason}`. Energy is the machine's
/// while the command ran, the command's own children and everything else that ran included; `net` is what lies
/// above the idle machine.
public struct MeasureRecord: Sendable, Hashable, Codable {
    public static let currentSchema = "sustain.measure/1"

    /// Energy and mean power of the total's scopes.
    public struct Energy: Sendable, Hashable, Codable {
        /// Of one run: the mean over the runs.
        public var joules: Figure
        public var watts: Figure

        public init(joules: Figure, watts: Figure) {
            self.joules = joules
            self.watts = watts
        }
    }

    /// The total: what it adds up and its energy, in JSON one flat object.
    public struct WholeEnergy: Sendable, Hashable, Codable {
        public var scopes: Total
        public var gross: Energy
        /// Above the idle machine.
        public var net: Energy

        public init(scopes: Total, gross: Energy, net: Energy) {
            self.scopes = scopes
            self.gross = gross
            self.net = net
        }

        enum CodingKeys: String, CodingKey { case gross, net }

        public init(from decoder: any Decoder) throws {
            scopes = try Total(from: decoder)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            gross = try container.decode(Energy.self, forKey: .gross)
            net = try container.decode(Energy.self, forKey: .net)
        }

        public func encode(to encoder: any Encoder) throws {
            try scopes.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(gross, forKey: .gross)
            try container.encode(net, forKey: .net)
        }
    }

    /// The idle machine.
    public struct Idle: Sendable, Hashable, Codable {
        /// Power of the total's scopes; what net figures subtract.
        public var watts: Figure
        /// Lengths of the windows.
        public var beforeSeconds: Maybe<Double>
        public var afterSeconds: Maybe<Double>
        /// What disturbed the windows, so that net is not to be relied on; nil where nothing did.
        public var disturbance: String?

        public init(
            watts: Figure, beforeSeconds: Maybe<Double>, afterSeconds: Maybe<Double>,
            disturbance: String? = nil
        ) {
            self.watts = watts
            self.beforeSeconds = beforeSeconds
            self.afterSeconds = afterSeconds
            self.disturbance = disturbance
        }

        enum CodingKeys: String, CodingKey {
            case watts, disturbance
            case beforeSeconds = "before_seconds"
            case afterSeconds = "after_seconds"
        }
    }

    /// One repetition.
    public struct Run: Sendable, Hashable, Codable {
        public var seconds: Double
        public var exitCode: Int
        /// Gross, of this run alone.
        public var joules: Figure

        public init(seconds: Double, exitCode: Int, joules: Figure) {
            self.seconds = seconds
            self.exitCode = exitCode
            self.joules = joules
        }

        enum CodingKeys: String, CodingKey {
            case seconds, joules
            case exitCode = "exit_code"
        }
    }

    public var schema: String = currentSchema
    public var label: String?
    /// Wall clock when reading began, ISO 8601 in UTC.
    public var started: String
    public var tool: ToolBuild
    /// argv.
    public var command: [String]
    /// Runs asked for.
    public var repetitions: Int
    /// Wall-clock length of a run: the mean over the runs.
    public var seconds: Double
    /// The same with its interval.
    public var elapsedSeconds: Figure
    /// CPU time of a run, the command's children included: means over the runs.
    public var userSeconds: Double
    public var systemSeconds: Double
    /// Of the last run: its exit status, or 128 and the number of the signal that ended it.
    public var exitCode: Int
    /// Fewer than three runs: how much runs differ is not in the intervals.
    public var provisional: Bool
    public var runs: [Run]
    public var total: WholeEnergy
    public var idle: Idle
    /// Every energy source that was looked for.
    public var sources: [SourceReading]
    public var overhead: Maybe<OverheadSummary>
    public var warnings: [String]

    public init(
        label: String?, started: String, tool: ToolBuild, command: [String], repetitions: Int,
        seconds: Double, elapsedSeconds: Figure, userSeconds: Double, systemSeconds: Double, exitCode: Int,
        provisional: Bool, runs: [Run], total: WholeEnergy, idle: Idle, sources: [SourceReading],
        overhead: Maybe<OverheadSummary>, warnings: [String]
    ) {
        self.label = label
        self.started = started
        self.tool = tool
        self.command = command
        self.repetitions = repetitions
        self.seconds = seconds
        self.elapsedSeconds = elapsedSeconds
        self.userSeconds = userSeconds
        self.systemSeconds = systemSeconds
        self.exitCode = exitCode
        self.provisional = provisional
        self.runs = runs
        self.total = total
        self.idle = idle
        self.sources = sources
        self.overhead = overhead
        self.warnings = warnings
    }

    enum CodingKeys: String, CodingKey {
        case schema, label, started, tool, command, repetitions, seconds, provisional, runs, total, idle
        case sources, overhead, warnings
        case elapsedSeconds = "elapsed_seconds"
        case userSeconds = "user_seconds"
        case systemSeconds = "system_seconds"
        case exitCode = "exit_code"
    }
}
