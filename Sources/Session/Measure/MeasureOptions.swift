import Analysis

/// What to measure, and how.
public struct MeasureOptions: Sendable {
    /// argv of the command.
    public var command: [Argument]
    public var repetitions: Int
    /// Length of each idle window; 0 for none.
    public var idle: Seconds
    public var interval: Nanoseconds
    /// Which energy sources to use (`PowerSelection`).
    public var power: String
    public var sysfs: String
    public var procfs: String
    public var label: String?
    /// The command's standard output joins its standard error, because ours is the result.
    public var joinsOutput: Bool

    public init(
        command: [Argument], repetitions: Int = 1, idle: Seconds = Seconds(15),
        interval: Nanoseconds = Nanoseconds(100_000_000), power: String = "auto", sysfs: String = "/sys",
        procfs: String = "/proc", label: String? = nil, joinsOutput: Bool = false
    ) {
        self.command = command
        self.repetitions = repetitions
        self.idle = idle
        self.interval = interval
        self.power = power
        self.sysfs = sysfs
        self.procfs = procfs
        self.label = label
        self.joinsOutput = joinsOutput
    }
}
