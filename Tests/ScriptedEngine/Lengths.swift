import WorkerProtocol

/// How long a prefill takes: `ns` + `ns_per_token` x prompt tokens + `ns_per_batch` x batches.
struct PrefillPart: Decodable {
    var nanoseconds: UInt64 = 50_000_000
    var perToken: UInt64 = 0
    var perBatch: UInt64 = 0
    /// False for an engine that does not know the request's `prefill_batch_tokens`.
    var obeysBatch = true
    /// The first one of the process takes so much longer.
    var first: UInt64 = 0

    enum CodingKeys: String, CodingKey, CaseIterable {
        case nanoseconds = "ns"
        case perToken = "ns_per_token"
        case perBatch = "ns_per_batch"
        case obeysBatch = "obeys_batch"
        case first = "first_ns"
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try Values<CodingKeys>(decoder)
        try values.read(.nanoseconds, into: &nanoseconds)
        try values.read(.perToken, into: &perToken)
        try values.read(.perBatch, into: &perBatch)
        try values.read(.obeysBatch, into: &obeysBatch)
        try values.read(.first, into: &first)
    }

    /// - Parameter isFirst: nothing was generated before.
    func length(_ request: GenerateRequest, isFirst: Bool) -> UInt64 {
        let tokens = UInt64(max(0, request.promptTokens))
        let batch = UInt64(max(1, obeyed(request) ?? request.promptTokens))
        let batches = (tokens + batch - 1) / batch
        return nanoseconds + perToken * tokens + perBatch * batches + (isFirst ? first : 0)
    }

    /// The batch of the request, if the engine keeps to it.
    func obeyed(_ request: GenerateRequest) -> Int? { obeysBatch ? request.prefillBatchTokens : nil }
}

/// How long each decode step takes.
struct DecodePart: Decodable {
    /// Without a list: the length of a step in cycle 0, before growth and jitter.
    var nanoseconds: UInt64 = 10_000_000
    /// The length by cycle; the last one holds for all later cycles.
    var byCycle: [UInt64] = []
    /// Added per cycle; negative for a rate that rises.
    var rampPerCycle: Int64 = 0
    /// Added per position, counted from the first token of the prompt.
    var growthPerPosition: Double = 0
    /// Half-width of the uniform jitter of each step, as a part of its length.
    var stepJitter: Double = 0
    /// The same for all steps of a cycle together.
    var cycleJitter: Double = 0

    enum CodingKeys: String, CodingKey, CaseIterable {
        case nanoseconds = "ns"
        case byCycle = "ns_by_cycle"
        case rampPerCycle = "ramp_ns_per_cycle"
        case growthPerPosition = "growth_ns_per_position"
        case stepJitter = "step_jitter"
        case cycleJitter = "cycle_jitter"
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try Values<CodingKeys>(decoder)
        try values.read(.nanoseconds, into: &nanoseconds)
        try values.read(.byCycle, into: &byCycle)
        try values.read(.rampPerCycle, into: &rampPerCycle)
        try values.read(.growthPerPosition, into: &growthPerPosition)
        try values.read(.stepJitter, into: &stepJitter)
        try values.read(.cycleJitter, into: &cycleJitter)
    }

    /// Length of the step that ends with token `token` (1 is the first after the prefill). The same cycle
    /// and token always give the same length, whatever was generated before.
    func length(cycle: Int, token: Int, promptTokens: Int, seed: UInt64) -> UInt64 {
        let place = max(0, cycle)
        let base = byCycle.isEmpty ? nanoseconds : byCycle[min(place, byCycle.count - 1)]
        let ramped = Double(base) + Double(rampPerCycle) * Double(place)
        let grown = ramped + growthPerPosition * Double(promptTokens + token)
        let cycleFactor = 1 + cycleJitter * Self.noise(seed, UInt64(place), 0)
        let stepFactor = 1 + stepJitter * Self.noise(seed, UInt64(place), UInt64(token))
        return UInt64(max(0, min(1e18, grown * cycleFactor * stepFactor)).rounded())
    }

    /// Uniform in -1..<1, a pure function of its three numbers.
    private static func noise(_ seed: UInt64, _ cycle: UInt64, _ token: UInt64) -> Double {
        var outer = SplitMix64(seed: seed &+ cycle &* 0x9E37_79B9)
        var inner = SplitMix64(seed: outer.next() &+ token)
        return Double(inner.next() >> 11) * 0x1p-52 - 1
    }
}
