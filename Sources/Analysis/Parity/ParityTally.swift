/// What two engines say to the same tokens, position by position.
public struct ParityTally: Sendable {
    /// Of one position, in nats.
    struct Position: Sendable {
        var divergence: Double
        var agrees: Bool
        /// How much less likely the reference finds the variant's first choice than its own, nats; 0 where both choose
        /// the same.
        var regret: Double
        /// Minus the log-probability of the token that really comes next; nil at the end of the text.
        var referenceSurprise: Double?
        var variantSurprise: Double?
    }

    /// Tokens of the vocabulary.
    public let vocabulary: Int
    private let tokens: [Int32]
    private(set) var positions: [Position] = []
    /// The same with each position of the reference held against the variant's next one.
    private(set) var shifted: [Position] = []
    /// The first position whose row is no distribution.
    private(set) var brokenReference: Int?
    private(set) var brokenVariant: Int?

    /// - Parameter tokens: the text, which both are given.
    public init(vocabulary: Int, tokens: [Int32]) {
        self.vocabulary = vocabulary
        self.tokens = tokens
    }

    /// Adds the rows of consecutive positions, `vocabulary` logits each.
    ///
    /// - Parameter first: the position of the first row.
    public mutating func add(
        reference: UnsafeBufferPointer<Float>, variant: UnsafeBufferPointer<Float>, first: Int
    ) {
        let count = min(reference.count, variant.count) / max(1, vocabulary)
        let others = (0..<count).map { LogitRow(row($0, of: variant)) }
        for index in 0..<count {
            let position = first + index
            if others[index] == nil { brokenVariant = brokenVariant ?? position }
            let logits = row(index, of: reference)
            guard let own = LogitRow(logits) else {
                brokenReference = brokenReference ?? position
                continue
            }
            if let other = others[index] {
                positions.append(pair(logits, own, row(index, of: variant), other, next: position + 1))
            }
            if index + 1 < count, let other = others[index + 1] {
                shifted.append(pair(logits, own, row(index + 1, of: variant), other, next: nil))
            }
        }
    }

    private func row(_ index: Int, of rows: UnsafeBufferPointer<Float>) -> UnsafeBufferPointer<Float> {
        UnsafeBufferPointer(rebasing: rows[index * vocabulary..<(index + 1) * vocabulary])
    }

    private func pair(
        _ logits: UnsafeBufferPointer<Float>, _ own: LogitRow, _ others: UnsafeBufferPointer<Float>,
        _ other: LogitRow, next: Int?
    ) -> Position {
        var position = Position(
            divergence: own.divergence(logits, to: other, others), agrees: own.top == other.top,
            regret: Double(logits[own.top]) - Double(logits[other.top]))
        if let next, tokens.indices.contains(next), case let token = Int(tokens[next]),
            (0..<vocabulary).contains(token)
        {
            position.referenceSurprise = own.logSum - Double(logits[token])
            position.variantSurprise = other.logSum - Double(others[token])
        }
        return position
    }
}

extension ParityTally {
    /// The most likely token of a row; nil where the row is no distribution.
    public static func top(of row: UnsafeBufferPointer<Float>) -> Int? { LogitRow.peak(of: row)?.top }

    /// The first of consecutive rows that is no distribution: one with a NaN, an infinity or nothing but impossible
    /// tokens; nil where all are.
    ///
    /// - Parameter vocabulary: logits a row.
    public static func firstBroken(in rows: UnsafeBufferPointer<Float>, vocabulary: Int) -> Int? {
        (0..<rows.count / max(1, vocabulary)).first { index in
            top(of: UnsafeBufferPointer(rebasing: rows[index * vocabulary..<(index + 1) * vocabulary])) == nil
        }
    }
}
