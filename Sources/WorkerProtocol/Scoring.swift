/// A text whose token ids are wanted.
public struct TokenizeRequest: Sendable, Hashable, Codable {
    public var text: String

    public init(text: String) { self.text = text }
}

/// The ids of a text, with the special tokens that the model puts before and after one.
public struct Tokenized: Sendable, Hashable, Codable {
    public var tokens: [Int32]

    public init(tokens: [Int32]) { self.tokens = tokens }
}

/// Given tokens are fed one after the other, whatever the model would have said; for each of them the logits of what
/// comes next are written to a file.
public struct ScoreRequest: Sendable, Hashable, Codable {
    public var tokens: [Int32]
    /// The position of the first token in the context. 0 clears the context; any other number is that of the tokens
    /// scored since, and goes on behind them.
    public var first: Int
    /// Where the logits go: a path that the worker makes or empties. One row a token, `vocabulary_tokens` little-endian
    /// 32-bit floating point numbers each, nothing else. Log-probabilities do as well as logits: a row may be off by a
    /// constant.
    public var file: String

    public init(tokens: [Int32], first: Int, file: String) {
        self.tokens = tokens
        self.first = first
        self.file = file
    }
}

/// The rows are in the file.
public struct Scored: Sendable, Hashable, Codable {
    /// Position of the first row.
    public var first: Int
    /// Number of rows.
    public var positions: Int
    /// Numbers in a row.
    public var vocabularyTokens: Int

    public init(first: Int, positions: Int, vocabularyTokens: Int) {
        self.first = first
        self.positions = positions
        self.vocabularyTokens = vocabularyTokens
    }

    enum CodingKeys: String, CodingKey {
        case first, positions
        case vocabularyTokens = "vocabulary_tokens"
    }
}
