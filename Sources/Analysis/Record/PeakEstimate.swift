/// What a model was expected to take before it was loaded, beside what it took.
public struct PeakEstimate: Sendable, Hashable, Codable {
    public enum Origin: String, Sendable, Hashable, Codable {
        /// The peak of a finished run of the same model, engine and parameters.
        case measured
        /// Terms of the file and the formulas, and what finished runs on the same build of the engine took beside.
        case learnt
        /// The same with round reserves: no run on this build was known.
        case reserve
    }

    public var bytes: UInt64
    public var origin: Origin
    /// How many runs were learnt from, with `learnt`.
    public var runs: Int?
    /// Whose peak it is, with `measured`.
    public var run: String?
    /// (estimate - measured peak) / measured peak.
    public var overMeasured: Figure

    enum CodingKeys: String, CodingKey {
        case bytes, origin, runs, run
        case overMeasured = "over_measured"
    }
}

extension PeakEstimate {
    /// nil where nothing was estimated.
    init?(_ fit: FitReport?, peak: Figure) {
        guard let fit, let bytes = fit.estimateBytes else { return nil }
        self.bytes = bytes
        run = fit.measuredIn
        runs = fit.learntFrom
        origin = run != nil ? .measured : runs != nil ? .learnt : .reserve
        if let measured = peak.number, measured > 0 {
            overMeasured = .once(Double(bytes) / measured - 1, method: "(estimate - peak rss) / peak rss")
        } else {
            overMeasured = .unavailable(peak.reason ?? "nothing was resident")
        }
    }
}
