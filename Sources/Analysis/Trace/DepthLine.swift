/// A step of a run with `--until-failure` begins: a longer context than the one before.
public struct DepthLine: Sendable, Hashable, Codable {
    /// Counted from 0.
    public var step: Int
    public var time: Instant
    /// Tokens of context that the model is loaded with and that are filled.
    public var contextTokens: Int
    /// Whether it was expected to fit; nil where there was no model file to tell by.
    public var fit: FitReport.Status?
    /// What was expected to be resident, bytes.
    public var estimateBytes: UInt64?

    public init(
        step: Int, time: Instant, contextTokens: Int, fit: FitReport.Status?, estimateBytes: UInt64?
    ) {
        self.step = step
        self.time = time
        self.contextTokens = contextTokens
        self.fit = fit
        self.estimateBytes = estimateBytes
    }

    enum CodingKeys: String, CodingKey {
        case step, fit
        case time = "t_ns"
        case contextTokens = "context_tokens"
        case estimateBytes = "estimate_bytes"
    }
}

/// Why what the worker told of a load or a generation is not used, as the session found when it came.
public struct ObjectionLine: Sendable, Hashable, Codable {
    public var part: Part
    /// The generation; nil for a load or an unload.
    public var cycle: Int?
    /// A clause that goes after "cycle 3: ".
    public var reason: String

    public init(part: Part, cycle: Int?, reason: String) {
        self.part = part
        self.cycle = cycle
        self.reason = reason
    }
}
