import Analysis
import WorkerProtocol

/// What the reference says to the text.
final class ReferenceScores {
    /// Of the text, as many as are scored.
    let tokens: [Int32]
    let vocabulary: Int
    /// Its greedy generation; shorter where its logits are no numbers.
    let greedy: [Int32]
    fileprivate let store: RowStore

    fileprivate init(tokens: [Int32], vocabulary: Int, greedy: [Int32], store: RowStore) {
        self.tokens = tokens
        self.vocabulary = vocabulary
        self.greedy = greedy
        self.store = store
    }

    fileprivate static func name(of first: Int) -> String { "reference-\(first)" + RowStore.ending }

    /// The rows of one piece.
    fileprivate func rows(_ piece: Range<Int>) -> Result<[Float], Unavailable> {
        Self.rows(piece, store, vocabulary)
    }

    /// The same while the reference is scored. A reference whose rows are no good is that, and no fault of the
    /// variants that are held against it.
    fileprivate static func rows(
        _ piece: Range<Int>, _ store: RowStore, _ vocabulary: Int
    ) -> Result<[Float], Unavailable> {
        store.rows(name(of: piece.lowerBound), positions: piece.count, vocabulary: vocabulary).mapError {
            Unavailable("the reference's logits of \(Parity.name(of: piece)) cannot be used: \($0.reason)")
        }
    }

    /// What is wrong with the rows of one piece; nil for nothing.
    fileprivate static func fault(
        _ piece: Range<Int>, _ store: RowStore, _ vocabulary: Int
    ) -> Unavailable? {
        switch rows(piece, store, vocabulary) {
        case .failure(let why): return why
        case .success(let rows):
            return rows.withUnsafeBufferPointer {
                ParityTally.firstBroken(in: $0, vocabulary: vocabulary)
            }.map {
                Unavailable("the reference's logits of position \(piece.lowerBound + $0) are not numbers")
            }
        }
    }
}

extension Parity {
    /// Scores an engine that has its model loaded, with a context of `mostPositions` at least.
    static func reference(
        _ engine: any ParityEngine, store: RowStore
    ) throws(EngineProblem) -> Result<ReferenceScores, Unavailable> {
        let tokens = Array(try engine.tokenize(ParityText.text).prefix(mostPositions))
        guard tokens.count >= fewestPositions else {
            return .failure(Unavailable("the reference makes only \(tokens.count) tokens of the text"))
        }
        var vocabulary: Int?
        for piece in pieces(of: tokens.count) {
            let size = try score(
                engine, tokens, piece, ReferenceScores.name(of: piece.lowerBound), store, vocabulary)
            if vocabulary == nil, let why = refusal(of: size, tokens: tokens.count, store) {
                return .failure(why)
            }
            if let why = ReferenceScores.fault(piece, store, size) { return .failure(why) }
            vocabulary = size
        }
        guard let vocabulary else { return .failure(Unavailable("the text has no tokens")) }
        var greedy: [Int32] = []
        try generate(engine, tokens, vocabulary, store) { token in
            greedy.append(token)
            return true
        }
        return .success(
            ReferenceScores(tokens: tokens, vocabulary: vocabulary, greedy: greedy, store: store))
    }

    /// Holds an engine that has its model loaded against the reference.
    static func check(
        _ engine: any ParityEngine, against reference: ReferenceScores, relation: ParityRelation,
        thresholds: ParityThresholds?
    ) throws(EngineProblem) -> Result<ParityResult, Unavailable> {
        let tokens = reference.tokens
        guard try engine.tokenize(ParityText.text).prefix(mostPositions).elementsEqual(tokens) else {
            return .failure(Unavailable("another tokenizer: it makes other tokens of the text"))
        }
        let name = "variant" + RowStore.ending
        var tally = ParityTally(vocabulary: reference.vocabulary, tokens: tokens)
        for piece in pieces(of: tokens.count) {
            let size = try score(engine, tokens, piece, name, reference.store, nil)
            guard size == reference.vocabulary else {
                return .failure(
                    Unavailable(
                        "another vocabulary: \(size) tokens against the reference's \(reference.vocabulary)"))
            }
            let own: [Float]
            switch reference.rows(piece) {
            case .failure(let why): return .failure(why)
            case .success(let rows): own = rows
            }
            let its: [Float]
            switch reference.store.rows(name, positions: piece.count, vocabulary: size) {
            case .failure(let why):
                throw EngineProblem(
                    cause: "its logits of \(Self.name(of: piece)) cannot be used: \(why.reason)")
            case .success(let rows): its = rows
            }
            own.withUnsafeBufferPointer { own in
                its.withUnsafeBufferPointer { its in
                    tally.add(reference: own, variant: its, first: piece.lowerBound)
                }
            }
        }
        let divergence = try greedyDivergence(engine, reference)
        reference.store.remove(name)
        return .success(
            tally.result(relation: relation, thresholds: thresholds, greedyDivergence: divergence))
    }

    fileprivate static func name(of piece: Range<Int>) -> String {
        "positions \(piece.lowerBound) to \(piece.upperBound - 1)"
    }

    private static func pieces(of count: Int) -> [Range<Int>] {
        stride(from: 0, to: count, by: rowsAtATime).map { $0..<min($0 + rowsAtATime, count) }
    }

    /// Lets an engine write the rows of one piece.
    ///
    /// - Parameter expected: the size of the vocabulary, once it is known.
    /// - Returns: the size of the vocabulary.
    private static func score(
        _ engine: any ParityEngine, _ tokens: [Int32], _ piece: Range<Int>, _ name: String,
        _ store: RowStore, _ expected: Int?
    ) throws(EngineProblem) -> Int {
        let answer = try engine.score(
            ScoreRequest(tokens: Array(tokens[piece]), first: piece.lowerBound, file: store.path(name)))
        guard answer.first == piece.lowerBound, answer.positions == piece.count,
            (2...largestVocabulary).contains(answer.vocabularyTokens),
            expected == nil || expected == answer.vocabularyTokens
        else {
            throw EngineProblem(
                cause:
                    "scored \(answer.positions) positions from \(answer.first) over \(answer.vocabularyTokens) tokens, "
                    + "asked for \(piece.count) from \(piece.lowerBound)")
        }
        return answer.vocabularyTokens
    }

    /// Why the rows of a reference are too much for the place they go to; nil where they are not.
    private static func refusal(of vocabulary: Int, tokens: Int, _ store: RowStore) -> Unavailable? {
        let needed = (tokens + rowsAtATime) * vocabulary * MemoryLayout<Float>.size
        let mebibytes = needed >> 20
        guard needed <= mostBytes else {
            return Unavailable(
                "the logits of \(vocabulary) tokens take \(mebibytes) MiB, over \(mostBytes >> 20)")
        }
        guard let free = store.freeBytes, free < UInt64(needed) else { return nil }
        return Unavailable(
            "\(mebibytes) MiB of logits do not fit the \(free >> 20) MiB free in \(store.directory)")
    }

    // MARK: Greedy

    /// Generates greedily after the beginning of the text, each token fed back by `score`.
    ///
    /// - Parameter take: gets every token; false ends it.
    private static func generate(
        _ engine: any ParityEngine, _ tokens: [Int32], _ vocabulary: Int, _ store: RowStore,
        _ take: (Int32) -> Bool
    ) throws(EngineProblem) {
        let name = "greedy" + RowStore.ending
        defer { store.remove(name) }
        var fed = Array(tokens.prefix(min(greedyPrompt, tokens.count / 2)))
        var pieces = pieces(of: fed.count)
        for _ in 0..<greedyTokens {
            var last: [Float] = []
            for piece in pieces {
                _ = try score(engine, fed, piece, name, store, vocabulary)
                // Nothing is decided by this: rows that cannot be read end it as those without numbers do.
                last = (try? store.rows(name, positions: piece.count, vocabulary: vocabulary).get()) ?? []
            }
            let top = last.suffix(vocabulary).withUnsafeBufferPointer { ParityTally.top(of: $0) }
            guard let top, take(Int32(truncatingIfNeeded: top)) else { return }
            pieces = [fed.count..<fed.count + 1]
            fed.append(Int32(truncatingIfNeeded: top))
        }
    }

    private static func greedyDivergence(
        _ engine: any ParityEngine, _ reference: ReferenceScores
    ) throws(EngineProblem) -> Maybe<Int> {
        var agreed = 0
        var differs = false
        try generate(engine, reference.tokens, reference.vocabulary, reference.store) { token in
            guard agreed < reference.greedy.count else { return false }
            differs = reference.greedy[agreed] != token
            if !differs { agreed += 1 }
            return !differs
        }
        if differs { return .known(agreed) }
        return .unavailable(
            agreed == greedyTokens
                ? "none in \(agreed) tokens"
                : agreed == reference.greedy.count
                    ? "the reference's logits are no numbers after \(agreed) tokens"
                    : "logits that are no numbers after \(agreed) tokens")
    }
}
