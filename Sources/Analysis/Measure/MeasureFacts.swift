/// Everything raw about one `sustain measure`: the record is a pure function of it.
public struct MeasureFacts: Sendable {
    /// One repetition of the command.
    public struct Run: Sendable, Hashable {
        /// From just before the program was started until it had ended.
        public var span: Span
        /// Its exit status, or 128 and the number of the signal that ended it.
        public var exitCode: Int
        /// CPU time of the command and of the children it waited for.
        public var user: Nanoseconds
        public var system: Nanoseconds
        /// A signal to `sustain` came while it ran: how much it had done is not known.
        public var wasInterrupted: Bool

        public init(
            span: Span, exitCode: Int, user: Nanoseconds, system: Nanoseconds, wasInterrupted: Bool = false
        ) {
            self.span = span
            self.exitCode = exitCode
            self.user = user
            self.system = system
            self.wasInterrupted = wasInterrupted
        }
    }

    /// argv.
    public var command: [String]
    /// How many runs were asked for.
    public var repetitions: Int
    public var label: String?
    /// Wall clock at `start`, ISO 8601 in UTC.
    public var started: String
    /// When reading began; times of void intervals count from here.
    public var start: Instant
    public var tool: ToolBuild
    public var sources: [SourceLine]
    public var capabilities: [CapabilitiesLine.Row]
    public var samples: [SampleLine] = []
    public var sleeps = SleepLog()
    public var runs: [Run] = []
    /// Nil where there was none: `--idle 0`, no energy source, an interrupt.
    public var idleBefore: Span?
    public var idleAfter: Span?
    /// Why no idle window was taken at all; nil when one was wanted.
    public var whyNoIdle: String?
    /// What disturbed the idle windows: other programs, power that did not settle. Named in every net figure.
    public var disturbance: String?
    /// Which processes the driver lists on the GPUs, over all looks; nil where it was not asked.
    public private(set) var gpuProcesses: GPUProcessesLine?
    public var warnings: [String] = []
    public var overhead: OverheadLine?

    public init(
        command: [String], repetitions: Int, label: String?, started: String, start: Instant,
        tool: ToolBuild, sources: [SourceLine], capabilities: [CapabilitiesLine.Row]
    ) {
        self.command = command
        self.repetitions = repetitions
        self.label = label
        self.started = started
        self.start = start
        self.tool = tool
        self.sources = sources
        self.capabilities = capabilities
    }

    /// Keeps what a look at the GPUs has shown.
    public mutating func add(_ look: GPUProcessesLine) {
        if gpuProcesses == nil {
            gpuProcesses = look
        } else {
            gpuProcesses?.merge(look)
        }
    }
}
