import Analysis

/// What sampling cost, and whether it ended in order.
public struct SamplerCost: Sendable, Hashable {
    /// CPU time of the sampler's thread and of the process since `start()`, ticks, lateness, losses, peak
    /// memory of this process.
    ///
    /// `ticks` counts reads at marks too. A missed deadline is one that passed by a whole interval; a tick is
    /// lost when the ring is full, and then nothing is read.
    public var overhead: OverheadLine
    /// The thread did not end within the time given: a device's read does not return. It is left behind, and
    /// ends when the read does.
    public var isStalled: Bool
}
