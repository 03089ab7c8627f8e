/// What else used the machine during a window: a rate that a neighbour slowed is not throttled.
///
/// A part is nil where no source of the trace tells it. The sources are read once a second, so that a shorter
/// window has the mean of the reads about it.
public struct Contention: Sendable, Hashable, Codable {
    /// CPU time of all programs but the engine and sustain itself, per second: cores.
    public var otherCores: Double?
    /// Time in which the hypervisor ran something else on our processors, per second: cores (proc_stat(5)).
    public var stealCores: Double?
    /// How often a second the engine's first thread was put off a processor (proc_pid_status(5)).
    public var involuntarySwitches: Double?
    /// Most processes but the engine's that a GPU of the machine had at a time.
    public var foreignGPUProcesses: Int?

    public init(
        otherCores: Double? = nil, stealCores: Double? = nil, involuntarySwitches: Double? = nil,
        foreignGPUProcesses: Int? = nil
    ) {
        self.otherCores = otherCores
        self.stealCores = stealCores
        self.involuntarySwitches = involuntarySwitches
        self.foreignGPUProcesses = foreignGPUProcesses
    }

    enum CodingKeys: String, CodingKey {
        case otherCores = "other_cores"
        case stealCores = "steal_cores"
        case involuntarySwitches = "involuntary_switches_per_second"
        case foreignGPUProcesses = "foreign_gpu_processes"
    }

    /// Cores that the engine could not have.
    public var lostCores: Double? {
        guard otherCores != nil || stealCores != nil else { return nil }
        return (otherCores ?? 0) + (stealCores ?? 0)
    }
}
