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
        /// The last signal to `sustain` that came while it ran, and that the command was sent too.
        public var signal: Signal?

        public struct Signal: Sendable, Hashable {
            /// "SIGINT".
            public var name: String
            public var time: Instant

            public init(name: String, time: Instant) {
                self.name = name
                self.time = time
            }
        }

        /// The signal ended it: how much it had done is not known. Either the kernel says so, or the command does,
        /// by the exit code that shells give such an end. One that takes the signal and goes on to its own end has
        /// done what it does.
        public var wasInterrupted: Bool { signal != nil && exitCode > 128 }

        public init(
            span: Span, exitCode: Int, user: Nanoseconds, system: Nanoseconds, signal: Signal? = nil
        ) {
            self.span = span
            self.exitCode = exitCode
            self.user = user
            self.system = system
            self.signal = signal
        }
    }

    /// argv, as text.
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
    /// Why none was taken after the command; nil when one was wanted.
    public var whyNoIdleAfter: String?
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
