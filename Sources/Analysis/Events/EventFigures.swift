/// What the engine's processes did per token of a phase, by the counters of the processor and of the kernel
/// (docs/metrics.md, "Events").
public struct EventFigures: Sendable, Hashable, Codable {
    public var instructionsPerToken: Figure
    public var cyclesPerToken: Figure
    /// Misses of the last level of cache, as the kernel's generic event has it on this processor.
    public var cacheMissesPerToken: Figure
    /// Seconds on a processor, all threads together.
    public var cpuSecondsPerToken: Figure
    public var pageFaultsPerToken: Figure
    public var contextSwitchesPerToken: Figure

    public init(
        instructionsPerToken: Figure, cyclesPerToken: Figure, cacheMissesPerToken: Figure,
        cpuSecondsPerToken: Figure, pageFaultsPerToken: Figure, contextSwitchesPerToken: Figure
    ) {
        self.instructionsPerToken = instructionsPerToken
        self.cyclesPerToken = cyclesPerToken
        self.cacheMissesPerToken = cacheMissesPerToken
        self.cpuSecondsPerToken = cpuSecondsPerToken
        self.pageFaultsPerToken = pageFaultsPerToken
        self.contextSwitchesPerToken = contextSwitchesPerToken
    }

    /// Each figure by the event it counts: the id of its source without "process:".
    init(_ figure: (_ event: String) -> Figure) {
        self.init(
            instructionsPerToken: figure("instructions"), cyclesPerToken: figure("cycles"),
            cacheMissesPerToken: figure("cache_misses"), cpuSecondsPerToken: figure("task_clock"),
            pageFaultsPerToken: figure("page_faults"), contextSwitchesPerToken: figure("context_switches"))
    }

    enum CodingKeys: String, CodingKey {
        case instructionsPerToken = "instructions_per_token"
        case cyclesPerToken = "cycles_per_token"
        case cacheMissesPerToken = "cache_misses_per_token"
        case cpuSecondsPerToken = "cpu_seconds_per_token"
        case pageFaultsPerToken = "page_faults_per_token"
        case contextSwitchesPerToken = "context_switches_per_token"
    }
}
