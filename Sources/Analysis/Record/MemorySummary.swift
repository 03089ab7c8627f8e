/// Memory of the worker, and of the machine at its points, bytes.
public struct MemorySummary: Sendable, Hashable, Codable {
    public var points: [String: [String: UInt64]]
    public var peakRSSBytes: Figure
    public var peakAnonymousBytes: Figure
    public var peakFileMappedBytes: Figure
    /// rss after the load less rss before it.
    public var loadCostBytes: Figure
    /// rss after the first token less rss after the load.
    public var firstStepCostBytes: Figure
    /// "mapped", "anonymous", "gpu", "not our process": figures of different kinds are never ranked.
    public var accounting: String
    /// What could still be had at the last point with the model resident; nil in records of versions that did not
    /// look.
    public var headroomNowBytes: Figure?
    /// The same of the engine's boards; nil where none was looked for.
    public var gpuHeadroomNowBytes: Figure?
    /// nil in records of versions that did not look.
    public var pressure: MemoryPressure?
    /// What unloading gave back; nil in records of versions that did not tell.
    public var unload: UnloadSummary?
    /// What was expected before the load; nil in records of a version that did not look.
    public var fit: Maybe<FitReport>?
    /// The estimate of `fit` beside the peak; nil where there was none.
    public var estimatedPeak: PeakEstimate?

    public init(
        points: [String: [String: UInt64]], peakRSSBytes: Figure, peakAnonymousBytes: Figure,
        peakFileMappedBytes: Figure, loadCostBytes: Figure, firstStepCostBytes: Figure, accounting: String,
        headroomNowBytes: Figure? = nil, pressure: MemoryPressure? = nil, unload: UnloadSummary? = nil,
        fit: Maybe<FitReport>? = nil
    ) {
        self.points = points
        self.peakRSSBytes = peakRSSBytes
        self.peakAnonymousBytes = peakAnonymousBytes
        self.peakFileMappedBytes = peakFileMappedBytes
        self.loadCostBytes = loadCostBytes
        self.firstStepCostBytes = firstStepCostBytes
        self.accounting = accounting
        self.headroomNowBytes = headroomNowBytes
        self.pressure = pressure
        self.unload = unload
        self.fit = fit
    }

    enum CodingKeys: String, CodingKey {
        case points, accounting, pressure, unload, fit
        case peakRSSBytes = "peak_rss_bytes"
        case peakAnonymousBytes = "peak_anonymous_bytes"
        case peakFileMappedBytes = "peak_file_mapped_bytes"
        case loadCostBytes = "load_cost_bytes"
        case firstStepCostBytes = "first_step_cost_bytes"
        case headroomNowBytes = "headroom_now_bytes"
        case gpuHeadroomNowBytes = "gpu_headroom_now_bytes"
        case estimatedPeak = "estimated_peak"
    }
}
