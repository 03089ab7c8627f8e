import Analysis

extension ModelFile {
    /// What a decode step reads of the model; nil when a tensor's size is not known.
    public var decodeReads: DecodeReads? {
        guard let bytes = summary.bytes, let experts = summary.expertBytes,
            let embedding = summary.embeddingBytes
        else { return nil }
        // The per-layer embedding of some models is never an output matrix, but is counted with it here.
        let rows = summary.sharesEmbedding ? 0 : embedding
        guard experts <= bytes, rows <= bytes - experts else { return nil }
        var used: UInt64?
        if case .same(let count)? = shape.expertsUsed { used = count }
        let cache = cacheElements
        return DecodeReads(
            denseBytes: bytes - experts - rows, expertBytes: experts, experts: shape.experts,
            expertsUsed: used, keyElements: cache.keys, valueElements: cache.values)
    }

    /// Elements of the K and of the V cache for one position, over all layers: heads x dimension, as
    /// llama.cpp sizes them (src/llama-kv-cache.cpp).
    private var cacheElements: (keys: Maybe<UInt64>, values: Maybe<UInt64>) {
        func none(_ reason: String) -> (Maybe<UInt64>, Maybe<UInt64>) {
            (.unavailable(reason), .unavailable(reason))
        }
        if shape.slidingWindow != nil { return none("some layers keep a sliding window") }
        if shape.kvLoraRank != nil { return none("the cache is of latent attention") }
        if shape.ssmInner != nil || shape.wkvHeadSize != nil || shape.shortConvolution != nil {
            return none("some layers are recurrent")
        }
        if shape.sharedKVLayers ?? 0 > 0 { return none("some layers share a cache") }
        guard let layers = shape.layers, layers <= 4_096, let heads = shape.attentionKVHeads,
            let keyLength = shape.attentionKeyLength, let valueLength = shape.attentionValueLength
        else { return none("the shape of the attention is not in the file's header") }
        var sum: UInt64 = 0
        for layer in 0..<layers {
            guard let count = heads[Int(layer)] else { return none("a layer's heads are not in the header") }
            sum = sum.addingReportingOverflow(count).partialValue
        }
        let (keys, keysOverflow) = sum.multipliedReportingOverflow(by: keyLength)
        let (values, valuesOverflow) = sum.multipliedReportingOverflow(by: valueLength)
        guard !keysOverflow, !valuesOverflow, sum < 1 << 40 else { return none("the cache's size overflows") }
        return (.known(keys), .known(values))
    }
}
