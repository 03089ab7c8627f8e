/// What one decode step reads of a model, out of the tensor list of its file.
public struct DecodeReads: Sendable, Hashable, Codable {
    /// Bytes of the tensors that every step reads whole: all but the routed experts and the token embedding,
    /// of which a step reads a row (the embedding counts where it is the output matrix too).
    public var denseBytes: UInt64
    /// Bytes of all routed experts; 0 for a model without.
    public var expertBytes: UInt64
    /// Routed experts in a layer, and how many of them one token uses; nil for a model without.
    public var experts: UInt64?
    public var expertsUsed: UInt64?
    /// Elements of the K and of the V cache for one position of context, over all layers.
    public var keyElements: Maybe<UInt64>
    public var valueElements: Maybe<UInt64>

    public init(
        denseBytes: UInt64, expertBytes: UInt64 = 0, experts: UInt64? = nil, expertsUsed: UInt64? = nil,
        keyElements: Maybe<UInt64>, valueElements: Maybe<UInt64>
    ) {
        self.denseBytes = denseBytes
        self.expertBytes = expertBytes
        self.experts = experts
        self.expertsUsed = expertsUsed
        self.keyElements = keyElements
        self.valueElements = valueElements
    }

    enum CodingKeys: String, CodingKey {
        case experts
        case denseBytes = "dense_bytes"
        case expertBytes = "expert_bytes"
        case expertsUsed = "experts_used"
        case keyElements = "key_elements"
        case valueElements = "value_elements"
    }
}
