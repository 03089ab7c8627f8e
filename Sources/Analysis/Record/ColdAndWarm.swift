/// The generations of `pb-random-v1` and the figure that it ranks builds by: one generation on a fresh engine,
/// then three with the same prompt.
///
/// Source: the community protocol pb-random-v1, BENCHMARKS.md of john-rocky/coreai-model-zoo.
public struct ColdAndWarm: Sendable, Hashable, Codable {
    /// The rates of one generation.
    public struct Rates: Sendable, Hashable, Codable {
        public var prefillTokensPerSecond: Figure
        public var decodeTokensPerSecond: Figure

        public init(prefill: Figure, decode: Figure) {
            prefillTokensPerSecond = prefill
            decodeTokensPerSecond = decode
        }

        enum CodingKeys: String, CodingKey {
            case prefillTokensPerSecond = "prefill_tokens_per_second"
            case decodeTokensPerSecond = "decode_tokens_per_second"
        }
    }

    public var cold: Rates
    public var warm: [Rates]
    /// Decode steps per second.
    public var medianWarmDecode: Figure

    public init(cold: Rates, warm: [Rates], medianWarmDecode: Figure) {
        self.cold = cold
        self.warm = warm
        self.medianWarmDecode = medianWarmDecode
    }

    enum CodingKeys: String, CodingKey {
        case cold, warm
        case medianWarmDecode = "median_warm_decode_tokens_per_second"
    }

    static let protocolName = "pb-random-v1"
    static let warmRuns = 3
    /// The protocol's own words.
    static let label =
        "pb-random-v1: NOT a controlled-environment benchmark: background load and heat show up here as "
        + "real-world variance"
}

extension ColdAndWarm {
    /// Nil for any other protocol.
    static func of(_ workload: Workload, _ timeline: Timeline) -> ColdAndWarm? {
        guard workload.name == protocolName else { return nil }
        let warm = timeline.generations(of: .sustained)
        return ColdAndWarm(
            cold: Rates(timeline.generations(of: .fromIdle).first), warm: warm.map { Rates($0) },
            medianWarmDecode: median(warm))
    }

    private static func median(_ warm: [Generation]) -> Figure {
        let rates = warm.filter(\.isWhole).compactMap { Rates($0).decodeTokensPerSecond.number }.sorted()
        guard rates.count == warmRuns else {
            return .unavailable("\(rates.count) of \(warmRuns) warm generations were whole")
        }
        return Figure(
            rates[warmRuns / 2], .unavailable(Unavailable("the protocol's spread is that of submissions")),
            method: "median of \(warmRuns) warm generations, decode steps / seconds")
    }
}

extension ColdAndWarm.Rates {
    fileprivate init(_ generation: Generation?) {
        func rate(_ span: Span?, _ tokens: Int?, _ name: String) -> Figure {
            guard let generation, let span, let tokens, generation.isWhole else {
                return .unavailable(generation == nil ? "no such generation" : "the generation was cut")
            }
            return PhaseRate.figure([(span.seconds, tokens)], tokens: name, exact: true)
        }
        self.init(
            prefill: rate(generation?.prefill, generation?.counts?.prompt, "prompt tokens"),
            decode: rate(generation?.decode, generation?.counts?.decodeSteps, "decode steps"))
    }
}
