/// One generation as the worker counted it: what it made, why it ended, and which tokens it was.
public struct GenerationSummary: Sendable, Hashable, Codable {
    public var cycle: Int
    public var part: Part
    public var promptTokens: Int
    public var generatedTokens: Int
    /// "length", "deadline", "stopped" or "truncated" (docs/worker-protocol.md).
    public var stop: String
    /// Over the generated ids: equal generations have equal hashes; unavailable where the engine sees no ids.
    public var tokenHash: Maybe<String>

    enum CodingKeys: String, CodingKey {
        case cycle, part, stop
        case promptTokens = "prompt_tokens"
        case generatedTokens = "generated_tokens"
        case tokenHash = "token_hash"
    }
}

extension GenerationSummary {
    /// As it stands in the trace.
    public init(_ done: DoneLine) {
        cycle = done.cycle
        part = done.part
        promptTokens = done.promptTokens
        generatedTokens = done.generatedTokens
        stop = done.stop
        tokenHash = Maybe(done.tokenHash, else: "the engine gives no hash of its tokens")
    }

    /// In the order in which they ended.
    static func all(of trace: Trace) -> [GenerationSummary] { trace.done.map(GenerationSummary.init) }
}
