import Analysis

/// The memory that a context keeps from token to token, by llama.cpp's rules (src/llama-kv-cache.cpp,
/// llama-kv-cache-iswa.cpp, llama-memory-recurrent.cpp of 0.5.0).
struct CacheSize: Sendable, Hashable {
    /// Keys and values of the layers with attention, bytes.
    var kvBytes: UInt64 = 0
    /// Cells of the layers that see the whole context; 0 where no layer has attention.
    var cells: UInt64 = 0
    /// The state of recurrent layers, bytes.
    var recurrentBytes: UInt64 = 0
    /// True when the header lacks what decides, so that a likely value stands in.
    var isGuessed = false
    /// True when the header does not tell enough even for a guess: nothing was counted then, or too little.
    var isUnknown = false

    /// The context is rounded up to so many cells.
    static let cellMultiple: UInt64 = 256

    /// - Parameter within: layers that are looked at; nil for all.
    init(_ shape: ModelShape, _ parameters: FitParameters, within: Range<Int>? = nil) {
        guard let layers = shape.layers, layers > 0, shape.hidden ?? 0 > 0 else {
            isGuessed = true
            isUnknown = true
            return
        }
        let cells = UInt64(parameters.contextTokens).padded(to: Self.cellMultiple)
        let windowed = shape.slidingWindowTokens.map {
            min(cells, $0.plus(UInt64(parameters.microBatchTokens)).padded(to: Self.cellMultiple))
        }
        // The parser holds layers to 65,536.
        for layer in within ?? 0..<Int(clamping: min(layers, 1 << 16)) {
            if shape.isRecurrent(layer) { addRecurrent(shape) }
            guard shape.hasAttention(layer), shape.ownsCache(layer) else { continue }
            self.cells = cells
            let isWindowed = windowed != nil && shape.isSliding(layer)
            let row = Self.rowBytes(shape, layer, isWindowed: isWindowed, parameters, &isGuessed)
            kvBytes = kvBytes.plus(row.times(isWindowed ? windowed ?? cells : cells))
        }
        // A text model keeps something of what it has read: nothing at all is a header's mistake.
        if within == nil, kvBytes == 0, recurrentBytes == 0 { isUnknown = true }
    }

    /// Keys and values of one token in one layer.
    private static func rowBytes(
        _ shape: ModelShape, _ layer: Int, isWindowed: Bool, _ parameters: FitParameters,
        _ isGuessed: inout Bool
    ) -> UInt64 {
        guard let heads = shape.attentionKVHeads?[layer],
            let key = (isWindowed ? shape.keyLengthSliding : nil) ?? shape.attentionKeyLength,
            let value = (isWindowed ? shape.valueLengthSliding : nil) ?? shape.attentionValueLength
        else {
            // Without grouped heads keys and values are as wide as the residual stream.
            isGuessed = true
            let width = shape.hidden ?? 4096
            return bytes(width, parameters.cacheTypeK, &isGuessed)
                .plus(bytes(width, parameters.cacheTypeV, &isGuessed))
        }
        let keys = bytes(heads.times(key), parameters.cacheTypeK, &isGuessed)
        // Latent attention reads its values out of the keys.
        if shape.keyLengthMLA ?? 0 > 0, shape.valueLengthMLA ?? 0 > 0 { return keys }
        return keys.plus(bytes(heads.times(value), parameters.cacheTypeV, &isGuessed))
    }

    private static func bytes(_ elements: UInt64, _ type: String, _ isGuessed: inout Bool) -> UInt64 {
        guard let block = TensorType.named(type)?.block else {
            isGuessed = true
            return elements.times(2)
        }
        return (elements.padded(to: block.elements) / block.elements).times(block.bytes)
    }

    private mutating func addRecurrent(_ shape: ModelShape) {
        guard let elements = shape.recurrentElements else {
            isGuessed = true
            // As of a layer with a state of 128 for each of twice the width.
            recurrentBytes = recurrentBytes.plus((shape.hidden ?? 4096).times(256 * 4))
            return
        }
        recurrentBytes = recurrentBytes.plus(elements.times(4))
    }
}

/// Which layer keeps what (src/models/*.cpp of llama.cpp 0.5.0).
extension ModelShape {
    private static let recurrentArchitectures: Set<String> = [
        "mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7",
    ]
    /// One layer in four has attention unless `full_attention_interval` says otherwise.
    private static let everyFourth: Set<String> = ["qwen3next", "qwen35", "qwen35moe"]
    /// Period of the layers whose attention slides, where a file need not give it.
    private static let slidingPeriods: [String: (period: UInt64, fullFirst: Bool)] = [
        "afmoe": (4, false), "cohere2": (4, false), "cohere2moe": (4, true), "exaone-moe": (4, false),
        "exaone4": (4, false), "gemma2": (2, false), "gemma3": (6, false), "gemma3n": (5, false),
        "llama4": (4, false), "olmo2": (4, false), "gpt-oss": (2, false), "plamo3": (8, false),
        "smallthinker": (4, true),
    ]

    /// Any recurrent layer at all.
    var isHybrid: Bool {
        ssmInner ?? 0 > 0 || wkvHeadSize ?? 0 > 0 || shortConvolution ?? 0 > 0
            || Self.recurrentArchitectures.contains(architecture ?? "")
    }

    func isRecurrent(_ layer: Int) -> Bool {
        guard isHybrid, let architecture else { return false }
        if Self.recurrentArchitectures.contains(architecture) || architecture == "falcon-h1" { return true }
        let interval = fullAttentionInterval ?? (Self.everyFourth.contains(architecture) ? 4 : nil)
        if let interval, interval > 0 { return (UInt64(layer) + 1) % interval != 0 }
        guard attentionKVHeads?[layer] == 0 else { return false }
        // Nemotron-H has layers that are a feed-forward network alone.
        return !architecture.hasPrefix("nemotron_h") || feedForward?[layer] ?? 0 == 0
    }

    func hasAttention(_ layer: Int) -> Bool {
        if Self.recurrentArchitectures.contains(architecture ?? "") { return false }
        if architecture != "falcon-h1", isRecurrent(layer) { return false }
        return attentionKVHeads?[layer] != 0
    }

    /// False for a layer that reads another's cache.
    func ownsCache(_ layer: Int) -> Bool {
        guard let shared = sharedKVLayers, let layers, shared <= layers else { return true }
        return UInt64(layer) < layers - shared
    }

    /// The window of sliding layers; nil where all layers see the whole context. Phi-3's is not used.
    var slidingWindowTokens: UInt64? {
        guard let slidingWindow, slidingWindow > 0, architecture != "phi3" else { return nil }
        return slidingWindow
    }

    /// Where neither the file nor the table tells, no layer slides: the larger of the two.
    func isSliding(_ layer: Int) -> Bool {
        let known = Self.slidingPeriods[architecture ?? ""]
        let period: UInt64
        switch slidingWindowPattern {
        case .each(let flags)?: return flags.indices.contains(layer) && flags[layer] != 0
        case .same(let given)?: period = given
        case nil:
            guard let known else { return false }
            period = known.period
        }
        guard period > 0 else { return true }
        let place = UInt64(layer) % period
        return known?.fullFirst == true ? place != 0 : place < period - 1
    }

    /// Numbers that one recurrent layer keeps; nil where the header does not tell.
    var recurrentElements: UInt64? {
        if let head = wkvHeadSize, head > 0, let hidden {
            // Two shifted tokens and a matrix a head.
            return hidden.times(head).plus(hidden.times(2))
        }
        if let cells = shortConvolution, cells > 0, let hidden { return hidden.times(cells - 1) }
        guard let inner = ssmInner, let state = ssmState else { return nil }
        let convolution = max(1, ssmConvolution ?? 1) - 1
        let width = inner.plus((ssmGroups ?? 0).times(state).times(2))
        return convolution.times(width).plus(state.times(inner))
    }
}
