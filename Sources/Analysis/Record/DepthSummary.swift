/// How deep a run with `--until-failure` came, and what ended it.
public struct DepthSummary: Sendable, Hashable, Codable {
    /// One context: loaded, and decoded to its end or as far as it came.
    public struct Step: Sendable, Hashable, Codable {
        public var contextTokens: Int
        /// Decoded to its end.
        public var completed: Bool
        /// Decode steps per second of this context.
        public var decodeTokensPerSecond: Figure
        /// Whether it was expected to fit; nil where there was no model file to tell by.
        public var fit: FitReport.Status?
        /// What was expected to be resident, bytes; nil likewise.
        public var estimateBytes: UInt64?
        /// The largest resident set read while it lasted, bytes.
        public var residentBytes: Maybe<UInt64>

        enum CodingKeys: String, CodingKey {
            case completed, fit
            case contextTokens = "context_tokens"
            case decodeTokensPerSecond = "decode_tokens_per_second"
            case estimateBytes = "estimate_bytes"
            case residentBytes = "resident_bytes"
        }
    }

    /// What the engine was doing when it ended.
    public enum Phase: String, Sendable, Hashable, Codable { case load, prefill, decode }

    public var steps: [Step]
    /// The longest context that was decoded to its end.
    public var deepestTokens: Maybe<Int>
    /// The first context that the fit called too much; unavailable where it called none so.
    public var predictedEndTokens: Maybe<Int>
    /// What ended it; `outcome` has it in words, with tokens, depth and the last memory sample.
    public var end: Maybe<OutcomeLine.Kind>
    public var phase: Maybe<Phase>

    enum CodingKeys: String, CodingKey {
        case steps, end, phase
        case deepestTokens = "deepest_tokens"
        case predictedEndTokens = "predicted_end_tokens"
    }
}

extension DepthSummary {
    /// nil for a run without steps of depth.
    init?(_ trace: Trace, _ timeline: Timeline) {
        let lines = trace.depths.sorted { ($0.time, $0.step) < ($1.time, $1.step) }
        guard let last = lines.last else { return nil }
        let readings = ContextSeries.of(.memory, in: trace).filter { $0.source.id == "process:rss" }
        steps = lines.indices.map { index in
            let next = index + 1 < lines.count ? lines[index + 1].time : Instant(nanoseconds: .max)
            return Step(lines[index], until: next, trace, timeline, readings)
        }
        deepestTokens = Maybe(
            steps.last(where: \.completed)?.contextTokens, else: "no context was decoded to its end")
        predictedEndTokens = Maybe(
            lines.first { $0.fit == .doesNotFit }?.contextTokens, else: "the fit called no context too much")
        let outcome = trace.end == nil ? nil : trace.outcome
        end = Maybe(outcome?.kind, else: "the run was interrupted or did not begin")
        phase = Self.phase(after: last.time, in: trace, outcome)
    }

    /// By the last mark of the step: each names what begins or ends with it.
    private static func phase(
        after begin: Instant, in trace: Trace, _ outcome: OutcomeLine?
    ) -> Maybe<Phase> {
        if outcome?.status == .completed { return .unavailable("the engine had nothing left to do") }
        let marks = trace.marks.filter { $0.time >= begin && $0.part == .deepening }
        switch marks.last?.name {
        case .submit: return .known(.prefill)
        case .firstToken: return .known(.decode)
        case .loadEnd, .lastToken, .unloadBegin, .unloadEnd, .end: return .unavailable("between two phases")
        default: return .known(.load)
        }
    }
}

extension DepthSummary.Step {
    fileprivate init(
        _ line: DepthLine, until next: Instant, _ trace: Trace, _ timeline: Timeline,
        _ readings: [ContextSeries]
    ) {
        contextTokens = line.contextTokens
        fit = line.fit
        estimateBytes = line.estimateBytes
        let within = line.time..<max(line.time, next)
        let generation = timeline.generations(of: .deepening).first { within.contains($0.submit) }
        completed = generation?.isWhole == true
        if let decode = generation?.decode, let counts = generation?.counts {
            decodeTokensPerSecond = PhaseRate.figure(
                [(decode.seconds, counts.decodeSteps)], tokens: "decode steps",
                exact: trace.engine?.countsTokens ?? true)
        } else {
            decodeTokensPerSecond = .unavailable("the generation did not end")
        }
        let sampled = readings.flatMap(\.readings).filter { within.contains($0.time) }.map(\.value)
        let pointed = trace.memory.filter { within.contains($0.time) }.compactMap { $0.bytes["rss"] }
        let most = (sampled + pointed.map { Double($0) }).max().flatMap { UInt64(exactly: $0.rounded()) }
        residentBytes = Maybe(most, else: "not read in this step")
    }
}
