import Analysis
import Engines
import WorkerProtocol

/// An engine with a model loaded, as parity asks it.
protocol ParityEngine: AnyObject {
    func tokenize(_ text: String) throws(EngineProblem) -> [Int32]
    func score(_ request: ScoreRequest) throws(EngineProblem) -> Scored
}

/// One side of a comparison: what to start and what to load into it.
struct ParityArm {
    var engine: RunOptions.Engine
    /// Variables added to this process's own.
    var environment: [(name: String, value: String)] = []
    /// Nil for an engine that needs none.
    var model: ModelFile?
    /// Of the model, where it is known.
    var sha256: String?
    /// The parameters that the arm is measured with.
    var load = LoadOptions()
    /// How long an engine that owes an answer may take for it.
    var patience = Seconds(300)
    /// Takes what the engine prints.
    var logPath = "/dev/null"
}

/// An engine started for parity alone, in a process that ends with this object: what scoring takes in memory and
/// leaves in caches is in no measured worker.
final class LaunchedEngine: ParityEngine {
    private let conversation: EngineConversation
    private let patience: Seconds

    /// Starts the engine and loads the arm's model with a context as long as the text needs.
    ///
    /// - Parameter shouldContinue: asked ten times a second; false ends it.
    init(_ arm: ParityArm, shouldContinue: @escaping () -> Bool = { true }) throws(EngineProblem) {
        patience = arm.patience
        let launch: WorkerLaunch
        do {
            launch = try arm.engine.launch(environment: arm.environment, logPath: arm.logPath)
        } catch {
            throw EngineProblem(cause: "\(error.thing): \(error.cause)")
        }
        conversation = try EngineConversation(launch, shouldContinue: shouldContinue)
        let hello = try conversation.greet(within: patience)
        if case .llama(let directory?) = arm.engine,
            let stranger = LlamaLibraries.stranger(in: hello, expected: directory)
        {
            throw EngineProblem(
                cause: "--llama-lib \(directory): the libllama in use is another one: \(stranger)")
        }
        try conversation.send(.go)
        let request = arm.load.request(
            model: arm.model?.path ?? "", contextTokens: Parity.mostPositions)
        _ = try conversation.ask(.load(request), within: patience) { event in
            if case .loaded(let loaded) = event { loaded } else { nil }
        }
    }

    func tokenize(_ text: String) throws(EngineProblem) -> [Int32] {
        try conversation.ask(.tokenize(TokenizeRequest(text: text)), within: patience) { event in
            if case .tokenized(let answer) = event { answer.tokens } else { nil }
        }
    }

    func score(_ request: ScoreRequest) throws(EngineProblem) -> Scored {
        try conversation.ask(.score(request), within: patience) { event in
            if case .scored(let answer) = event { answer } else { nil }
        }
    }
}

extension ParityRelation {
    /// How the files of two arms relate. Arms without a file have nothing in common.
    ///
    /// - Throws: `.failed` for a file that cannot be read any more.
    static func of(_ reference: ParityArm, _ variant: ParityArm) throws(Failure) -> ParityRelation {
        guard let own = reference.model, let its = variant.model else { return .other }
        let isSame = reference.sha256.map { $0 == variant.sha256 } ?? false
        let isSamePlace = own.parts.map(\.identity) == its.parts.map(\.identity)
        let relation: ParityRelation =
            isSame || isSamePlace ? .sameFile : try own.hasHeader(of: its) ? .identicalHeader : .other
        return relation.sharesNumbers && !reference.load.hasCache(of: variant.load) ? .otherCache : relation
    }
}
