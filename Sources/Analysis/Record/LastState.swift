/// What is known of the engine at the moment when a run ended early.
public struct LastState: Sendable, Hashable, Codable {
    /// Tokens of the generation in progress that the engine had told of: it may have made more.
    public var tokens: Maybe<Int>
    /// Tokens in the KV cache then: the prompt and all but the newest of those.
    public var kvDepthTokens: Maybe<Int>
    /// The last reading of each memory figure, bytes: "rss", "anonymous", "file" and "swap" of the engine's
    /// process, "available" of the machine.
    public var memory: Maybe<[String: UInt64]>
    /// From that reading to the last line of the trace that has a time, seconds.
    public var memoryAgeSeconds: Maybe<Double>

    enum CodingKeys: String, CodingKey {
        case tokens, memory
        case kvDepthTokens = "kv_depth_tokens"
        case memoryAgeSeconds = "memory_age_s"
    }
}

extension LastState {
    init(_ trace: Trace) {
        (tokens, kvDepthTokens) = Self.generation(trace)
        (memory, memoryAgeSeconds) = Self.memory(trace)
    }

    private static func generation(_ trace: Trace) -> (Maybe<Int>, Maybe<Int>) {
        let submits = trace.marks.filter { $0.name == .submit }
        guard let submit = submits.max(by: { $0.time < $1.time }), let cycle = submit.cycle else {
            return (.unavailable("no generation had begun"), .unavailable("no generation had begun"))
        }
        let own = trace.marks.filter { $0.cycle == cycle && $0.stream == submit.stream }
        if own.contains(where: { $0.name == .lastToken }) || trace.done.contains(where: { $0.cycle == cycle })
        {
            return (.unavailable("between generations"), .unavailable("between generations"))
        }
        guard own.contains(where: { $0.name == .firstToken }) else {
            return (.known(0), .unavailable("the prompt was being read"))
        }
        let told = trace.tokens.filter { $0.cycle == cycle && $0.stream == submit.stream ?? 0 }
            .map { $0.first.addingReportingOverflow($0.deltas.count + 1) }
            .filter { !$0.overflow }.map(\.partialValue).max()
        let tokens = max(1, told ?? 1)
        let (depth, overflow) = trace.header.workload.promptTokens.addingReportingOverflow(tokens - 1)
        return (.known(tokens), overflow ? .unavailable("no such depth") : .known(depth))
    }

    private static func memory(_ trace: Trace) -> (Maybe<[String: UInt64]>, Maybe<Double>) {
        var names: [Int: (name: String, scale: Double)] = [:]
        for source in trace.sources where source.quantity == .memory && source.kind == .gauge {
            let parts = source.id.split(separator: ":")
            guard parts.count == 2, parts[0] == "process" || source.id == "memory:available" else { continue }
            names[source.index] = (String(parts[1]), source.scale)
        }
        // Two workers of one run have sources of the same name: the later one's stands.
        var found: [String: UInt64] = [:]
        var newest: Instant?
        for sample in trace.samples.reversed() where found.count < names.count {
            for (index, value) in zip(sample.sources, sample.values).reversed() {
                guard let value, let entry = names[index], found[entry.name] == nil else { continue }
                let bytes = (Double(value) * entry.scale).rounded()
                guard bytes >= 0, bytes < 0x1p63 else { continue }
                found[entry.name] = UInt64(bytes)
                newest = newest ?? sample.time
            }
        }
        guard let newest else {
            let why = Unavailable("no memory was sampled")
            return (.unavailable(why), .unavailable(why))
        }
        let last = [trace.end?.time, trace.marks.map(\.time).max(), trace.samples.last?.time].compactMap {
            $0
        }.max()
        return (.known(found), .known(max(0, ((last ?? newest) - newest).seconds.value)))
    }
}
