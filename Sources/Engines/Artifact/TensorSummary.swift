/// What the tensors of a model add up to.
public struct TensorSummary: Sendable, Hashable {
    /// The tensors of one type.
    public struct Share: Sendable, Hashable {
        public let type: TensorType
        public let tensors: Int
        public let elements: UInt64
        /// Bytes of data; nil for a type whose block size is not known.
        public let bytes: UInt64?
    }

    /// By type, most elements first.
    public let shares: [Share]
    /// Number of parameters: the sum of the elements; nil when it does not fit into 64 bits.
    public let parameters: UInt64?
    /// Bytes of all data; nil when a tensor's type has no known size.
    public let bytes: UInt64?
    /// Bytes of the routed experts, of which each token reads only some; nil like `bytes`.
    public let expertBytes: UInt64?
    /// Bytes of the token embeddings, of which each token reads a row; nil like `bytes`.
    public let embeddingBytes: UInt64?
    /// Whether the token embedding is the output matrix too, so that each decode step reads all of it.
    public let sharesEmbedding: Bool

    /// Bits per weight over all tensors; nil when a size is not known or there are no elements.
    public var bitsPerWeight: Double? {
        guard let bytes, let parameters, parameters > 0 else { return nil }
        return Double(bytes) * 8 / Double(parameters)
    }

    /// Share of the elements by the type's name; empty when there are none.
    public var elementShares: [String: Double] {
        guard let parameters, parameters > 0 else { return [:] }
        return Dictionary(
            shares.map { ($0.type.name, Double($0.elements) / Double(parameters)) }, uniquingKeysWith: +)
    }

    public init(_ tensors: [GGUFTensor]) {
        let byType = Dictionary(grouping: tensors, by: \.type)
        shares = byType.map { type, members in
            Share(
                type: type, tensors: members.count, elements: Self.sum(members.map(\.elements)) ?? .max,
                bytes: Self.sum(members.map(\.bytes)))
        }.sorted { ($0.elements, $1.type) > ($1.elements, $0.type) }
        parameters = Self.sum(tensors.map(\.elements))
        bytes = Self.sum(tensors.map(\.bytes))
        expertBytes = Self.sum(tensors.filter { Self.isExpert($0.name) }.map(\.bytes))
        embeddingBytes = Self.sum(tensors.filter { Self.isEmbedding($0.name) }.map(\.bytes))
        sharesEmbedding = !tensors.contains { $0.name == "output.weight" }
    }

    /// `blk.N.ffn_{gate,up,down,gate_up,..}_exps` and `_chexps`, or, in files older than llama.cpp's merged
    /// experts, `blk.N.ffn_gate.E`; shared experts ("_shexp") are read by every token.
    static func isExpert(_ name: String) -> Bool {
        let parts = name.split(separator: ".")
        guard parts.count >= 4, parts[0] == "blk" else { return false }
        if parts[2].hasSuffix("_exps") || parts[2].hasSuffix("_chexps") { return true }
        return parts.count >= 5 && parts[2].hasPrefix("ffn_") && parts[3].allSatisfy(\.isNumber)
    }

    static func isEmbedding(_ name: String) -> Bool {
        name == "token_embd.weight" || name == "per_layer_token_embd.weight"
    }

    private static func sum(_ values: [UInt64?]) -> UInt64? {
        var total: UInt64 = 0
        for value in values {
            guard let value else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(value)
            guard !overflow else { return nil }
            total = sum
        }
        return total
    }
}
