/// A hyperparameter that is either the same in all layers or given for each.
public enum PerLayer: Sendable, Hashable {
    case same(UInt64)
    case each([UInt64])

    /// The value in a layer; nil past the end of the list.
    public subscript(layer: Int) -> UInt64? {
        switch self {
        case .same(let value): value
        case .each(let values): values.indices.contains(layer) ? values[layer] : nil
        }
    }

    /// The largest value; nil for an empty list.
    public var maximum: UInt64? {
        switch self {
        case .same(let value): value
        case .each(let values): values.max()
        }
    }
}

/// The hyperparameters of a model as its header gives them; nil where it does not.
///
/// The keys are those of src/llama-arch.cpp (`LLM_KV_NAMES`), "%s" being the architecture. The values come
/// from outside and are not checked against one another: sums and products of them must saturate.
public struct ModelShape: Sendable, Hashable {
    /// `general.architecture`, e.g. "llama".
    public var architecture: String?
    /// `%s.context_length`: tokens of context in training.
    public var trainedContextTokens: UInt64?
    /// `%s.block_count`.
    public var layers: UInt64?
    /// `%s.nextn_predict_layers`: how many of the layers only serve multi-token prediction.
    public var nextTokenLayers: UInt64?
    /// `%s.embedding_length`: width of the residual stream.
    public var hidden: UInt64?
    /// `%s.feed_forward_length`.
    public var feedForward: PerLayer?
    /// `%s.expert_feed_forward_length`.
    public var expertFeedForward: PerLayer?
    /// `%s.attention.head_count`.
    public var heads: PerLayer?
    /// `%s.attention.head_count_kv` as given; see `attentionKVHeads`. 0 marks a layer without attention.
    public var kvHeads: PerLayer?
    /// `%s.attention.key_length` as given; see `attentionKeyLength`.
    public var keyLength: UInt64?
    /// `%s.attention.value_length` as given; see `attentionValueLength`.
    public var valueLength: UInt64?
    /// `%s.attention.key_length_mla`, `%s.attention.value_length_mla` and `%s.attention.kv_lora_rank` of
    /// multi-head latent attention.
    public var keyLengthMLA: UInt64?
    public var valueLengthMLA: UInt64?
    public var kvLoraRank: UInt64?
    /// `%s.attention.key_length_swa` and `%s.attention.value_length_swa` of sliding-window layers.
    public var keyLengthSliding: UInt64?
    public var valueLengthSliding: UInt64?
    /// `%s.rope.dimension_count`.
    public var ropeDimensions: UInt64?
    /// `%s.attention.sliding_window` in tokens.
    public var slidingWindow: UInt64?
    /// `%s.attention.sliding_window_pattern`: every so many layers, or a flag for each layer.
    public var slidingWindowPattern: PerLayer?
    /// `%s.attention.shared_kv_layers`: layers that reuse another's cache.
    public var sharedKVLayers: UInt64?
    /// Number of tokens: the tokenizer's list, else `%s.vocab_size`, else the rows of the token embedding.
    public var vocabulary: UInt64?
    /// `%s.expert_count`, `%s.expert_used_count`, `%s.expert_shared_count`.
    public var experts: UInt64?
    public var expertsUsed: PerLayer?
    public var expertsShared: UInt64?
    /// `%s.ssm.conv_kernel`, `inner_size`, `state_size`, `time_step_rank`, `group_count` of state-space layers.
    public var ssmConvolution: UInt64?
    public var ssmInner: UInt64?
    public var ssmState: UInt64?
    public var ssmTimeStepRank: UInt64?
    public var ssmGroups: UInt64?
    /// `%s.wkv.head_size` of RWKV.
    public var wkvHeadSize: UInt64?
    /// `%s.shortconv.l_cache` of LFM2.
    public var shortConvolution: UInt64?
    /// `%s.full_attention_interval`: one layer in so many has attention, the others are recurrent.
    public var fullAttentionInterval: UInt64?

    public init() {}

    /// Key and value heads as llama.cpp takes them: `kvHeads`, else as many as `heads` (src/llama-model.cpp).
    public var attentionKVHeads: PerLayer? { kvHeads ?? heads }

    /// Key dimension of a head as llama.cpp takes it: `keyLength`, else hidden / heads of the first layer.
    public var attentionKeyLength: UInt64? { keyLength ?? hiddenByHead }

    /// Value dimension of a head as llama.cpp takes it: `valueLength`, else hidden / heads of the first layer.
    public var attentionValueLength: UInt64? { valueLength ?? hiddenByHead }

    private var hiddenByHead: UInt64? {
        guard let hidden, let heads = heads?[0], heads > 0 else { return nil }
        return hidden / heads
    }
}

extension ModelShape {
    /// The shape that a header gives, with the embedding's rows as the last resort for the vocabulary.
    init(_ header: GGUFHeader) {
        let name = header.metadata["general.architecture"]?.string
        architecture = name
        let keys = ArchitectureKeys(prefix: name ?? "", metadata: header.metadata)
        trainedContextTokens = keys.count("context_length")
        layers = keys.count("block_count")
        nextTokenLayers = keys.count("nextn_predict_layers")
        hidden = keys.count("embedding_length")
        feedForward = keys.perLayer("feed_forward_length")
        expertFeedForward = keys.perLayer("expert_feed_forward_length")
        heads = keys.perLayer("attention.head_count")
        kvHeads = keys.perLayer("attention.head_count_kv")
        keyLength = keys.count("attention.key_length")
        valueLength = keys.count("attention.value_length")
        keyLengthMLA = keys.count("attention.key_length_mla")
        valueLengthMLA = keys.count("attention.value_length_mla")
        kvLoraRank = keys.count("attention.kv_lora_rank")
        keyLengthSliding = keys.count("attention.key_length_swa")
        valueLengthSliding = keys.count("attention.value_length_swa")
        ropeDimensions = keys.count("rope.dimension_count")
        slidingWindow = keys.count("attention.sliding_window")
        slidingWindowPattern = keys.perLayer("attention.sliding_window_pattern")
        sharedKVLayers = keys.count("attention.shared_kv_layers")
        experts = keys.count("expert_count")
        expertsUsed = keys.perLayer("expert_used_count")
        expertsShared = keys.count("expert_shared_count")
        ssmConvolution = keys.count("ssm.conv_kernel")
        ssmInner = keys.count("ssm.inner_size")
        ssmState = keys.count("ssm.state_size")
        ssmTimeStepRank = keys.count("ssm.time_step_rank")
        ssmGroups = keys.count("ssm.group_count")
        wkvHeadSize = keys.count("wkv.head_size")
        shortConvolution = keys.count("shortconv.l_cache")
        fullAttentionInterval = keys.count("full_attention_interval")
        vocabulary =
            header.metadata["tokenizer.ggml.tokens"]?.array?.count
            ?? keys.count("vocab_size")
            ?? header.tensors.first { $0.name == "token_embd.weight" }?.dimensions.dropFirst().first
    }
}

extension ModelShape {
    /// Lists by layer whose length is not the number of layers; llama.cpp refuses those.
    var warnings: [String] {
        guard let layers else { return [] }
        let lists: [(String, PerLayer?)] = [
            ("feed_forward_length", feedForward), ("attention.head_count", heads),
            ("attention.head_count_kv", kvHeads),
        ]
        return lists.compactMap { name, list in
            guard case .each(let values)? = list, UInt64(values.count) != layers else { return nil }
            return "\(name) lists \(values.count) layers of \(layers)"
        }
    }
}

/// The keys of one architecture.
private struct ArchitectureKeys {
    let prefix: String
    let metadata: [String: GGUFEntry]

    func count(_ name: String) -> UInt64? { metadata["\(prefix).\(name)"]?.count }

    func perLayer(_ name: String) -> PerLayer? {
        guard let entry = metadata["\(prefix).\(name)"] else { return nil }
        if let value = entry.count { return .same(value) }
        guard let values = entry.array?.values else { return nil }
        var counts: [UInt64] = []
        for value in values {
            if let count = value.count {
                counts.append(count)
            } else if case .bool(let flag) = value {
                counts.append(flag ? 1 : 0)
            } else {
                return nil
            }
        }
        return .each(counts)
    }
}
