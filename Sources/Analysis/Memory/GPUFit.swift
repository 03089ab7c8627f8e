/// What of a model goes onto boards with memory of their own, against what is free there.
public struct GPUFit: Sendable, Hashable, Codable {
    public struct Board: Sendable, Hashable, Codable {
        /// "nvml:0".
        public var id: String
        public var freeBytes: UInt64

        public init(id: String, freeBytes: UInt64) {
            self.id = id
            self.freeBytes = freeBytes
        }

        enum CodingKeys: String, CodingKey {
            case id
            case freeBytes = "free_bytes"
        }
    }

    /// Layers that are offloaded.
    public var layers: UInt64
    public var terms: [FitTerm]
    /// The boards that it may go to.
    public var boards: [Board]
    /// How many of them the engine uses.
    public var used: Int

    public init(layers: UInt64, terms: [FitTerm], boards: [Board], used: Int) {
        self.layers = layers
        self.terms = terms
        self.boards = boards
        self.used = min(max(1, used), max(1, boards.count))
    }

    public var needBytes: UInt64 { Self.sum(terms.map(\.bytes)) }

    /// What is free on as many boards as are used, those with least taken: which ones the engine takes is not told.
    public var leastFreeBytes: UInt64 { Self.sum(boards.map(\.freeBytes).sorted().prefix(used)) }
    public var mostFreeBytes: UInt64 { Self.sum(boards.map(\.freeBytes).sorted().suffix(used)) }

    /// True when it fits wherever it goes, false when it fits nowhere, nil when that decides.
    public var passes: Bool? {
        if needBytes <= leastFreeBytes { return true }
        return needBytes > mostFreeBytes ? false : nil
    }

    private static func sum(_ values: some Sequence<UInt64>) -> UInt64 {
        values.reduce(0) { sum, value in
            let (next, overflow) = sum.addingReportingOverflow(value)
            return overflow ? .max : next
        }
    }

    enum CodingKeys: String, CodingKey { case layers, terms, boards, used }
    private enum Told: String, CodingKey {
        case need = "need_bytes"
        case allowed = "allowed_bytes"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(layers, forKey: .layers)
        try container.encode(terms, forKey: .terms)
        try container.encode(boards, forKey: .boards)
        try container.encode(used, forKey: .used)
        // Both numbers, for readers; they follow from the rest.
        var told = encoder.container(keyedBy: Told.self)
        try told.encode(needBytes, forKey: .need)
        try told.encode(leastFreeBytes, forKey: .allowed)
    }
}
