import Analysis
import Engines
import WorkerProtocol

/// Whether a variant says what its reference says: both are fed the same text, and what each thinks of the next
/// token is compared at every position over the whole vocabulary (docs/metrics.md, "Parity").
///
/// The reference speaks first and its rows are kept in files, so that any number of variants can be held against
/// it and no two models have to be in memory at once. Of a variant only `rowsAtATime` rows exist at any time.
enum Parity {
    /// Positions of the text that are scored.
    static let mostPositions = 384
    /// Fewer say too little.
    static let fewestPositions = 64
    /// Rows that one `score` writes: 16 MiB for a vocabulary of 128 Ki.
    static let rowsAtATime = 32
    /// Tokens of the text before the greedy generation, and of that generation.
    static let greedyPrompt = 64
    static let greedyTokens = 64
    /// Rows of a reference take no more than this.
    static let mostBytes = 1 << 30
    /// No model has more tokens.
    static let largestVocabulary = 1 << 22

    /// Scores the reference.
    ///
    /// - Parameter directory: where a directory for the rows is made.
    /// - Returns: the scores, or why there are none: parity cannot be told then.
    /// - Throws: what an engine died of, or an interruption; `.failed` where nothing can be written.
    static func reference(
        _ arm: ParityArm, in directory: String, shouldContinue: @escaping () -> Bool = { true }
    ) throws(Failure) -> Result<ReferenceScores, Unavailable> {
        if arm.model?.hasRandomWeights == true { return .failure(randomWeights) }
        let store = try RowStore(in: directory)
        return try telling("parity: reference") { () throws(EngineProblem) in
            let engine = try LaunchedEngine(arm, shouldContinue: shouldContinue)
            return try reference(engine, store: store)
        }
    }

    /// Holds a variant against the reference.
    ///
    /// - Parameters:
    ///   - relation: of the two arms' files (`ParityRelation.of`).
    ///   - thresholds: given by the user; nil for the usual ones of the same weights.
    /// - Throws: what the engine died of, or an interruption; `.failed` where nothing can be written.
    static func check(
        _ arm: ParityArm, against reference: Result<ReferenceScores, Unavailable>, relation: ParityRelation,
        thresholds: ParityThresholds? = nil, shouldContinue: @escaping () -> Bool = { true }
    ) throws(Failure) -> ParityResult {
        let scores: ReferenceScores
        switch reference {
        case .failure(let why): return .cannotTell(why.reason, relation: relation)
        case .success(let known): scores = known
        }
        if arm.model?.hasRandomWeights == true {
            return .cannotTell(randomWeights.reason, relation: relation)
        }
        let result = try telling("parity: variant") { () throws(EngineProblem) in
            let engine = try LaunchedEngine(arm, shouldContinue: shouldContinue)
            return try check(engine, against: scores, relation: relation, thresholds: thresholds)
        }
        switch result {
        case .success(let told): return told
        case .failure(let why): return .cannotTell(why.reason, relation: relation)
        }
    }

    private static let randomWeights = Unavailable(
        "random weights: what the model says depends on rounding more than on the text")

    /// An engine that cannot score, or not this text, says so with the code `refused`: that is no failure of its.
    private static func telling<Answer>(
        _ thing: String, _ body: () throws(EngineProblem) -> Result<Answer, Unavailable>
    ) throws(Failure) -> Result<Answer, Unavailable> {
        do throws(EngineProblem) {
            return try body()
        } catch {
            if error.code == "refused" { return .failure(Unavailable(error.cause)) }
            throw error.failure(thing)
        }
    }
}
