/// What measuring cost.
public struct OverheadSummary: Sendable, Hashable, Codable {
    /// Share of one core used by the sampler thread, 0.001 = 0.1 %.
    public var samplerCoreShare: Double
    /// Share of one core used by all of `sustain`.
    public var processCoreShare: Double
    public var ticks: UInt64
    public var missedDeadlines: UInt64
    public var lostTicks: UInt64
    public var worstJitterSeconds: Double
    public var peakRSSBytes: Maybe<UInt64>

    public init(
        samplerCoreShare: Double, processCoreShare: Double, ticks: UInt64, missedDeadlines: UInt64,
        lostTicks: UInt64, worstJitterSeconds: Double, peakRSSBytes: Maybe<UInt64>
    ) {
        self.samplerCoreShare = samplerCoreShare
        self.processCoreShare = processCoreShare
        self.ticks = ticks
        self.missedDeadlines = missedDeadlines
        self.lostTicks = lostTicks
        self.worstJitterSeconds = worstJitterSeconds
        self.peakRSSBytes = peakRSSBytes
    }

    enum CodingKeys: String, CodingKey {
        case ticks
        case samplerCoreShare = "sampler_core_share"
        case processCoreShare = "process_core_share"
        case missedDeadlines = "missed_deadlines"
        case lostTicks = "lost_ticks"
        case worstJitterSeconds = "worst_jitter_s"
        case peakRSSBytes = "peak_rss_bytes"
    }
}
