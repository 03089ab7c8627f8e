import Analysis
import Engines

/// Everything that `sustain compare` was asked for, after defaults and checks of each value on its own.
public struct CompareOptions: Sendable {
    /// One of the builds.
    public struct Variant: Sendable {
        public var name: String
        /// A run's options; what is no build's own (output, power, idle) is the same in all.
        public var run: RunOptions
        /// The options that make it what it is, for the trace.
        public var recorded: JSONValue
        /// What the model's file must be; nil where any will do.
        public var expectedSHA256: String?

        public init(name: String, run: RunOptions, recorded: JSONValue) {
            self.name = name
            self.run = run
            self.recorded = recorded
        }
    }

    public enum Length: Sendable, Hashable {
        /// Quads, or rounds of whole runs.
        case quads(Int)
        /// As many quads, or rounds of whole runs, as fit into this time, all in all.
        case budget(Seconds)
    }

    /// What is asked of the variants' answers.
    public struct Parity: Sendable {
        public var isChecked: Bool
        /// Nil for the usual ones, which judge the same weights alone.
        public var thresholds: ParityThresholds?

        public init(isChecked: Bool = true, thresholds: ParityThresholds? = nil) {
            self.isChecked = isChecked
            self.thresholds = thresholds
        }
    }

    /// Two or more.
    public var variants: [Variant]
    /// Position of the one that the others are held against.
    public var reference: Int
    public var length: Length
    /// Load one variant at a time, whatever fits.
    public var reloads: Bool
    public var parity: Parity
    /// All that was asked for, as the session's trace keeps it.
    public var recorded: JSONValue = .object([:])
    /// Whole runs take turns instead of blocks of one session; nil for blocks.
    public var wholeRuns: WholeRuns?

    /// How whole runs take turns.
    public struct WholeRuns: Sendable {
        /// The longest wait between two runs, or the wait itself where no temperature is read; nil for the usual ones.
        public var coolDown: Seconds?

        public init(coolDown: Seconds?) { self.coolDown = coolDown }
    }

    public init(
        variants: [Variant], reference: Int, length: Length, reloads: Bool, parity: Parity = Parity()
    ) {
        self.variants = variants
        self.reference = reference
        self.length = length
        self.reloads = reloads
        self.parity = parity
    }
}

extension CompareOptions {
    static func changedBaseline(_ variant: Variant) -> Failure {
        Failure(
            thing: "--baseline",
            cause: "\(variant.run.model ?? "its model") is no longer the file that was measured",
            remedy: "name the old file as the first model instead of --baseline", exit: .refused)
    }
}

/// What a comparison left behind.
public struct CompareResult: Sendable {
    public let directory: RunDirectory
    public let document: SessionDocument
    /// The bytes of `session.json`.
    public let bytes: [UInt8]
    /// How it ended early, nil when it was completed.
    public let failure: Failure?
    /// What the caller should know and no document holds: session.json could not be written.
    public let notes: [Failure]
}
