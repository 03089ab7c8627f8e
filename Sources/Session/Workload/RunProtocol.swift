import Analysis

/// The named workloads. A name fixes the shape of a generation, so that what has one name can be compared.
public enum RunProtocol: String, Sendable, CaseIterable {
    /// 128 prompt tokens, 256 generated, the prompt another one in each cycle.
    case sustained = "sustained-v1"
    /// The same with 32 and 64 tokens, for builds that take over 30 s for a cycle of `sustained`.
    case sustainedSlow = "sustained-slow-v1"
    /// 128 prompt tokens, then tokens to the end of the context.
    case deep = "deep"
    /// One prompt of 128 tokens, taken token by token, and 256 greedy tokens: once on a fresh engine, then three
    /// times (BENCHMARKS.md of john-rocky/coreai-model-zoo).
    case pbRandom = "pb-random-v1"
    /// Ever longer contexts, each loaded anew and decoded to its end, until something gives (`--until-failure`).
    case untilFailure = "until-failure-v1"

    var promptTokens: Int { self == .sustainedSlow ? 32 : 128 }

    /// Nil where the context decides.
    var generatedTokens: Int? {
        switch self {
        case .sustained, .pbRandom: 256
        case .sustainedSlow: 64
        case .deep, .untilFailure: nil
        }
    }

    /// Generations after the cold one of `pb-random-v1`.
    static let warmGenerations = 3
    /// The longest context that `deep` takes unasked.
    static let deepContext = 4096
}

/// The workload as it was asked for; what is nil was not given.
public struct WorkloadRequest: Sendable {
    public var named: RunProtocol?
    public var promptTokens: Int?
    public var generatedTokens: Int?
    public var contextTokens: Int?
    public var seconds = Seconds(600)
    public var cycles: Int?
    public var sampling = "greedy"
    public var seed: UInt64 = 0

    public init() {}

    /// Whether the slow protocol may take over: nobody has named a protocol or a shape.
    var mayBeSlowed: Bool { named == nil && promptTokens == nil && generatedTokens == nil }

    /// The workload that this is.
    ///
    /// - Parameter trainedContext: tokens of context that the model was trained with, where that is known.
    /// - Throws: a usage `Failure`: a shape that is not the named protocol's or does not fit the context.
    public func workload(trainedContext: UInt64?) throws(Failure) -> Workload {
        let shape = named ?? .sustained
        switch shape {
        case .deep: return try deep(shape, trainedContext, longest: RunProtocol.deepContext)
        case .untilFailure:
            return try deep(shape, trainedContext, longest: DepthLadder.longest(trained: trainedContext))
        default: break
        }
        let generated = shape.generatedTokens ?? 0
        try refuseShape(of: shape, generated: generated)
        let prompt = promptTokens ?? shape.promptTokens
        let tokens = generatedTokens ?? generated
        let isNamed = prompt == shape.promptTokens && tokens == generated
        let context = contextTokens ?? (isNamed ? Self.context(of: shape) : prompt + tokens)
        if context < prompt + tokens {
            throw Failure(
                thing: "--ctx-size \(context)",
                cause: "is less than the \(prompt) prompt and \(tokens) generated tokens",
                remedy: "give at least \(prompt + tokens), or fewer tokens with -p and -n", exit: .usage)
        }
        var result = Workload(
            name: isNamed ? shape.rawValue : "custom-p\(prompt)-n\(tokens)", promptTokens: prompt,
            generatedTokens: tokens, contextTokens: context, seconds: seconds, cycles: cycles,
            sampling: sampling, seed: seed)
        if shape == .pbRandom {
            result.cycles = RunProtocol.warmGenerations
            result.prefillBatchTokens = 1
            result.fixedPrompt = true
        }
        return result
    }

    /// A run that the slow protocol has taken over was loaded with the context of `sustained`: one that was
    /// named has the same, so that the two are one protocol with one parameter.
    private static func context(of shape: RunProtocol) -> Int {
        let whole = shape == .sustainedSlow ? .sustained : shape
        return whole.promptTokens + (whole.generatedTokens ?? 0)
    }

    /// - Parameter longest: the context where neither the user nor the model names a shorter one.
    private func deep(
        _ shape: RunProtocol, _ trained: UInt64?, longest: Int
    ) throws(Failure) -> Workload {
        let longest = Int(clamping: min(trained ?? .max, UInt64(longest)))
        let context = contextTokens ?? longest
        let prompt = shape.promptTokens
        guard context >= prompt + 2 else {
            throw Failure(
                thing: contextTokens == nil ? "--protocol \(shape.rawValue)" : "--ctx-size \(context)",
                cause: "a context of \(context) tokens leaves nothing to decode after a prompt of \(prompt)",
                remedy: "give a longer context (-c), or a shape of your own (-p, -n)", exit: .usage)
        }
        try refuseShape(of: shape, generated: context - prompt)
        return Workload(
            name: shape.rawValue, promptTokens: prompt, generatedTokens: context - prompt,
            contextTokens: context, seconds: seconds, cycles: cycles, sampling: sampling, seed: seed)
    }

    /// A protocol that was named is never given another shape.
    private func refuseShape(of shape: RunProtocol, generated: Int) throws(Failure) {
        guard named != nil else { return }
        let prompt = promptTokens ?? shape.promptTokens
        let tokens = generatedTokens ?? generated
        guard prompt != shape.promptTokens || tokens != generated else { return }
        if shape == .untilFailure {
            throw Failure(
                thing: "--until-failure",
                cause:
                    "has a shape of its own: \(shape.promptTokens) prompt tokens, then decode to the end of each context",
                remedy: "leave out -p and -n; -c is the longest context", exit: .usage)
        }
        throw Failure(
            thing: "--protocol \(shape.rawValue)",
            cause: "has \(shape.promptTokens) prompt and \(generated) generated tokens, not \(prompt) and "
                + "\(tokens)",
            remedy: "leave out --protocol for a shape of your own, or -p and -n for the protocol's",
            exit: .usage)
    }
}
