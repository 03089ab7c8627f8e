/// A figure that a comparison gives, by its key path under `metrics` or `memory` of a record.
public enum ComparedMetric: String, Sendable, Hashable, CaseIterable {
    case decodeRate = "decode.tokens_per_second"
    case prefillRate = "prefill.tokens_per_second"
    case cycleRate = "cycle.tokens_per_second"
    case decodeEnergy = "decode.gross.joules_per_token"
    case prefillEnergy = "prefill.gross.joules_per_token"
    case cycleEnergy = "cycle.gross.joules_per_token"
    case decodeNetEnergy = "decode.net.joules_per_token"
    case cycleNetEnergy = "cycle.net.joules_per_token"
    case decodePower = "decode.gross.watts"
    case timeToFirstToken = "time_to_first_token_seconds.p50"
    /// What whole runs alone tell: interleaved variants share the heat.
    case burst
    case sustained
    case retained
    case peakMemory = "peak_rss_bytes"
    case peakAnonymousMemory = "peak_anonymous_bytes"

    public enum Polarity: Sendable, Hashable {
        case higherIsBetter
        case lowerIsBetter
    }

    public var polarity: Polarity {
        switch self {
        case .decodeRate, .prefillRate, .cycleRate, .burst, .sustained, .retained: .higherIsBetter
        default: .lowerIsBetter
        }
    }

    /// Whether only whole runs (`--sustained`) have it.
    public var needsWholeRuns: Bool {
        switch self {
        case .burst, .sustained, .retained: true
        default: false
        }
    }

    /// What a session of interleaved blocks gives.
    public static let ofBlocks = allCases.filter { !$0.needsWholeRuns }

    /// What a comparison tells wherever an engine generates at all.
    static let speeds: [ComparedMetric] = [.decodeRate, .prefillRate, .cycleRate, .timeToFirstToken]

    /// Whether it is unavailable on a machine without an energy source.
    public var needsEnergy: Bool {
        switch self {
        case .decodeEnergy, .prefillEnergy, .cycleEnergy, .decodeNetEnergy, .cycleNetEnergy, .decodePower:
            true
        default: false
        }
    }
}
