import Analysis

/// The terms of the sum (docs/metrics.md, "Fit").
enum FitTerms {
    static let fixedReserve: UInt64 = 200 << 20
    static let transientReserve: UInt64 = 192 << 20
    /// What llama.cpp remembers of a cell in use: a bit for each sequence, nodes of a set and of a map
    /// (src/llama-kv-cells.h). As measured: 2.1 MiB for the 8192 of a filled context.
    static let cellBytes: UInt64 = 256
    /// What a token takes in llama.cpp even without a text (`llama_vocab::token_data`).
    static let tokenBytes: UInt64 = 40
    /// What a text of the tokenizer, a token's or a merge's, takes beside it: itself and its place in a map. As
    /// measured on SmolLM2, whose 98,000 entries take 13.4 MiB.
    static let tokenizerEntryBytes: UInt64 = 144

    /// Every term that is not 0, in the order of the table.
    static func of(_ input: FitInput) -> [FitTerm] {
        let cache = CacheSize(input.model.shape, input.parameters)
        let learnt = LearntTerms(input)
        let elsewhere = OffloadedShare.of(input)
        var terms = weights(input, elsewhere: elsewhere?.weights ?? 0)
        let caches = caches(input, cache, elsewhere)
        terms += caches + staging(input, caches: caches)
        terms.append(compute(input))
        terms.append(FitTerm(.tokenizer, bytes: tokenizerBytes(input.model), .formula))
        if let bytes = input.projectorBytes {
            terms.append(FitTerm(.projector, bytes: bytes.scaled(1.05).plus(96 << 20), .formula))
        }
        if let draft = input.draft {
            terms.append(FitTerm(.draft, bytes: draftBytes(draft, input.parameters), .formula))
        }
        if let learnt {
            terms = terms.map { term in
                guard term.name == .compute else { return term }
                return FitTerm(.compute, bytes: learnt.computeBytes, .learnt)
            }
            terms.append(FitTerm(.fixed, bytes: learnt.fixedBytes, .learnt))
            terms.append(FitTerm(.transient, bytes: learnt.transientBytes, .learnt))
        } else {
            terms.append(FitTerm(.fixed, bytes: fixedReserve, .reserve))
            terms.append(FitTerm(.transient, bytes: transientReserve, .reserve))
        }
        return terms.filter { $0.bytes > 0 || $0.name == .weights }
    }

    /// Weights that are allocated are there once, in the layout that is used; beside a mapping the copies come
    /// on top.
    ///
    /// - Parameter elsewhere: bytes of them that lie on a board.
    private static func weights(_ input: FitInput, elsewhere: UInt64) -> [FitTerm] {
        let maps = input.parameters.mapsWeights
        let here = input.model.fileBytes - min(elsewhere, input.model.fileBytes)
        var terms = [FitTerm(.weights, bytes: here, .header, allocates: !maps)]
        guard input.sizing?.repacks ?? input.mayRepack else { return terms }
        let origin: FitTerm.Origin = input.sizing?.repacks == nil ? .formula : .header
        let copied = input.model.repackable
        terms.append(FitTerm(.repacked, bytes: maps ? copied.bytes : copied.embeddingBytes, origin))
        return terms
    }

    /// Weights in another layout are read before all else, each through a buffer of its own size. What comes
    /// later is larger as a rule, and then the largest is no peak; but of the smaller ones the allocator keeps
    /// the memory.
    private static func staging(_ input: FitInput, caches: [FitTerm]) -> [FitTerm] {
        guard !input.parameters.mapsWeights, input.sizing?.repacks ?? input.mayRepack else { return [] }
        let copied = input.model.repackable
        let rest = input.model.fileBytes > copied.bytes ? input.model.fileBytes - copied.bytes : 0
        let later = UInt64.saturatingSum(caches.map(\.bytes)).plus(rest).plus(copied.embeddingBytes)
        let beyond = copied.largestBytes > later ? copied.largestBytes - later : 0
        return [FitTerm(.staging, bytes: max(beyond, copied.largestKeptBytes), .formula)]
    }

    private static func caches(
        _ input: FitInput, _ cache: CacheSize, _ elsewhere: OffloadedShare?
    ) -> [FitTerm] {
        func term(_ name: FitTerm.Name, _ sized: UInt64?, _ computed: UInt64, _ away: UInt64?) -> FitTerm {
            let origin: FitTerm.Origin = sized != nil ? .engine : cache.isGuessed ? .guessed : .formula
            let all = sized ?? computed
            return FitTerm(name, bytes: all - min(away ?? 0, all), origin)
        }
        return [
            term(.kv, input.sizing?.kvBytes, cache.kvBytes, elsewhere?.kv),
            FitTerm(.cells, bytes: cache.cells.times(cellBytes), .formula),
            term(
                .recurrent, input.sizing?.recurrentBytes, cache.recurrentBytes, elsewhere?.recurrent),
        ]
    }

    private static func tokenizerBytes(_ model: FitModel) -> UInt64 {
        (model.shape.vocabulary ?? 0).times(tokenBytes)
            .plus(model.tokenizerEntries.times(tokenizerEntryBytes))
    }

    static func compute(_ input: FitInput) -> FitTerm {
        if let bytes = input.sizing?.computeBytes { return FitTerm(.compute, bytes: bytes, .engine) }
        return FitTerm(.compute, bytes: computeBytes(input.model.shape, input.parameters), .formula)
    }

    private static func draftBytes(_ draft: FitModel, _ parameters: FitParameters) -> UInt64 {
        let cache = CacheSize(draft.shape, parameters)
        return .saturatingSum([
            draft.fileBytes, cache.kvBytes, cache.recurrentBytes, computeBytes(draft.shape, parameters),
        ])
    }

    /// min(ctx, batch, ubatch) x (6 hidden + 2 ff) x 2 x (3, or 5 for hybrids) + one vocabulary row x 4
    /// + 16 MiB + 512 KiB per layer (+ tokens x min(ctx, 8192) x heads x 2 without flash attention).
    static func computeBytes(_ shape: ModelShape, _ parameters: FitParameters) -> UInt64 {
        let tokens = UInt64(parameters.microBatchTokens)
        let width = (shape.hidden ?? 4096).times(6).plus(shape.stepFeedForward.times(2))
        var bytes = tokens.times(width).times(2).times(shape.isHybrid ? 5 : 3)
        bytes = bytes.plus((shape.vocabulary ?? 0).times(4)).plus(16 << 20)
        bytes = bytes.plus((shape.layers ?? 32).times(512 << 10))
        guard parameters.flashAttention == "off" else { return bytes }
        let context = min(UInt64(parameters.contextTokens), 8192)
        return bytes.plus(tokens.times(context).times(shape.heads?.maximum ?? 32).times(2))
    }
}

extension ModelShape {
    /// Width of the feed-forward networks that one token goes through: of a mixture, of the experts used.
    var stepFeedForward: UInt64 {
        let experts = (expertFeedForward?.maximum ?? feedForward?.maximum ?? 0)
            .times((expertsUsed?.maximum ?? 0).plus(expertsShared ?? 0))
        let dense = feedForward?.maximum ?? (hidden ?? 4096).times(4)
        return max(dense, experts)
    }
}
