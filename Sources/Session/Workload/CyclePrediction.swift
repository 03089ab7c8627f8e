import Analysis

/// The edges of one generation, as the worker stamped them, and the lengths of its first decode steps.
struct GenerationEdges: Sendable {
    private(set) var submit: Instant?
    private(set) var firstToken: Instant?
    private(set) var lastToken: Instant?
    /// Nanoseconds from token to token, as far as they came in one batch.
    private(set) var steps: [UInt64] = []

    /// More say nothing more of the length of a step.
    private static let mostSteps = 64

    mutating func add(_ mark: MarkLine.Name, at time: Instant) {
        switch mark {
        case .submit: submit = time
        case .firstToken: firstToken = time
        case .lastToken: lastToken = time
        default: break
        }
    }

    mutating func add(steps deltas: [UInt64]) {
        steps += deltas.prefix(max(0, Self.mostSteps - steps.count))
    }

    var prefill: Seconds? {
        guard let submit, let firstToken, submit < firstToken else { return nil }
        return (firstToken - submit).seconds
    }

    var decode: Seconds? {
        guard let firstToken, let lastToken, firstToken < lastToken else { return nil }
        return (lastToken - firstToken).seconds
    }

    /// A decode step in the middle of their order: the first ones of an engine may hold what it does once.
    ///
    /// - Parameter tokens: generated ones, for an engine that sends no stamps of its tokens.
    func step(tokens: Int) -> Seconds? {
        if !steps.isEmpty { return Nanoseconds(Int64(clamping: steps.sorted()[steps.count / 2])).seconds }
        guard tokens > 1, let decode else { return nil }
        return decode * (1 / Double(tokens - 1))
    }
}

/// How long a cycle will take, from what a prompt of its length and a few decode steps took.
struct CyclePrediction: Sendable {
    /// What the prompt took.
    var prefill: Seconds
    /// What one decode step took.
    var step: Seconds
    /// Tokens that a cycle generates.
    var generatedTokens: Int

    /// A cycle of `sustained-v1` that takes longer makes too few cycles in ten minutes.
    static let longest = Seconds(30)

    /// Seconds of the decode steps alone.
    var decode: Seconds { step * Double(max(0, generatedTokens - 1)) }

    var cycle: Seconds { prefill + decode }

    enum Verdict: Sendable, Hashable { case fits, tooLong, unclear }

    /// - Parameter isFirst: the prompt was the first after a load, which may hold what the engine does once
    ///   (compiling kernels, touching pages): that it was long says little then.
    func verdict(isFirst: Bool) -> Verdict {
        if cycle <= Self.longest { return .fits }
        return decode > Self.longest || !isFirst ? .tooLong : .unclear
    }
}
