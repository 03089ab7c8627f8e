/// How two arms' artifacts relate: it decides whether they have to say the same.
public enum ParityRelation: String, Sendable, Hashable, Codable, CaseIterable {
    /// The same bytes, on this engine or another.
    case sameFile = "same_file"
    /// Another file with the same header to the last byte: a copy.
    case identicalHeader = "identical_header"
    /// The same weights, the cache of keys and values in other types: what is lost there is chosen.
    case otherCache = "other_cache"
    /// Another quantisation, another checkpoint.
    case other

    /// Whether the two have to say the same, so that anything else is wrong.
    public var sharesNumbers: Bool { self == .sameFile || self == .identicalHeader }
}

/// What agreement is asked for.
public struct ParityThresholds: Sendable, Hashable, Codable {
    /// The least share of positions at which both name the same token first, or the reference is as good as undecided
    /// between the two.
    public var top1OrTie: Double
    /// The largest mean divergence, nats.
    public var meanKL: Double

    public init(top1OrTie: Double, meanKL: Double) {
        self.top1OrTie = top1OrTie
        self.meanKL = meanKL
    }

    /// Of two arms with the same weights.
    public static let sameWeights = ParityThresholds(top1OrTie: 0.99, meanKL: 0.01)

    /// Up to how many nats apart two tokens are a tie to the reference. A divergence of d comes of logits that are off
    /// by about sqrt(2 d); the difference of two of them is off by 2 sqrt(d).
    public var tieNats: Double { 2 * max(0, meanKL).squareRoot() }

    enum CodingKeys: String, CodingKey {
        case top1OrTie = "top1_or_tie"
        case meanKL = "mean_kl"
    }
}

public enum ParityVerdict: String, Sendable, Hashable, Codable, CaseIterable {
    case passed
    /// Arms with the same weights do not say the same, or one says what is no number.
    case wrong
    /// Thresholds that were given for other weights are not met.
    case failed
    /// Other weights, and no thresholds were given.
    case reported
    case cannotTell = "cannot_tell"
}

/// Whether a variant says what its reference says (docs/metrics.md, "Parity"). Keys are always there.
public struct ParityResult: Sendable, Hashable, Codable {
    /// The figures of the wrong pairing: each position of the reference against the variant's next one.
    public struct Control: Sendable, Hashable, Codable {
        public var top1OrTie: Figure
        public var meanKL: Figure
        /// Whether the thresholds refuse it, as they must.
        public var isRefused: Bool

        enum CodingKeys: String, CodingKey {
            case top1OrTie = "top1_or_tie"
            case meanKL = "mean_kl"
            case isRefused = "refused"
        }
    }

    public struct Perplexity: Sendable, Hashable, Codable {
        public var reference: Figure
        public var variant: Figure
    }

    public var verdict: ParityVerdict
    /// Why, in words; nil for a verdict that the figures and thresholds explain.
    public var reason: String?
    public var relation: ParityRelation
    /// Name and version of the text.
    public var text: String
    /// Positions that were compared.
    public var positions: Int
    /// Share of positions at which both name the same token first.
    public var top1Agreement: Figure
    /// The same, and those at which the variant's first choice is `tieNats` less likely to the reference at most.
    public var top1OrTie: Figure
    public var tieNats: Double
    /// Kullback-Leibler divergence of the variant from the reference over the whole vocabulary, nats a position.
    public var meanKL: Figure
    public var p99KL: Figure
    /// Of the text, each arm's own.
    public var perplexity: Perplexity
    /// In force; nil where nothing was judged.
    public var thresholds: ParityThresholds?
    public var control: Maybe<Control>
    /// The first token at which greedy generation of the two differs, counted from 0. For information only.
    public var greedyDivergence: Maybe<Int>

    enum CodingKeys: String, CodingKey, CaseIterable {
        case verdict, reason, relation, text, positions, perplexity, thresholds, control
        case top1Agreement = "top1_agreement"
        case top1OrTie = "top1_or_tie"
        case tieNats = "tie_nats"
        case meanKL = "mean_kl"
        case p99KL = "p99_kl"
        case greedyDivergence = "greedy_divergence"
    }

    /// Why nothing can be told, with every figure unavailable for that reason.
    public static func cannotTell(_ reason: String, relation: ParityRelation) -> ParityResult {
        let missing = Figure.unavailable(reason)
        return ParityResult(
            verdict: .cannotTell, reason: reason, relation: relation, text: ParityText.name, positions: 0,
            top1Agreement: missing, top1OrTie: missing, tieNats: ParityThresholds.sameWeights.tieNats,
            meanKL: missing, p99KL: missing,
            perplexity: Perplexity(reference: missing, variant: missing), thresholds: nil,
            control: .unavailable(reason), greedyDivergence: .unavailable(reason))
    }
}

extension ParityResult {
    /// Keys are always there, null where nothing is meant.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(verdict, forKey: .verdict)
        try container.encode(reason, forKey: .reason)
        try container.encode(relation, forKey: .relation)
        try container.encode(text, forKey: .text)
        try container.encode(positions, forKey: .positions)
        try container.encode(top1Agreement, forKey: .top1Agreement)
        try container.encode(top1OrTie, forKey: .top1OrTie)
        try container.encode(tieNats, forKey: .tieNats)
        try container.encode(meanKL, forKey: .meanKL)
        try container.encode(p99KL, forKey: .p99KL)
        try container.encode(perplexity, forKey: .perplexity)
        try container.encode(thresholds, forKey: .thresholds)
        try container.encode(control, forKey: .control)
        try container.encode(greedyDivergence, forKey: .greedyDivergence)
    }
}
