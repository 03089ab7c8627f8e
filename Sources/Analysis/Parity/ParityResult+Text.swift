extension ParityVerdict {
    /// For a table.
    public var words: String {
        switch self {
        case .passed: "same"
        case .wrong: "wrong"
        case .failed: "thresholds not met"
        case .reported: "not judged"
        case .cannotTell: "cannot tell"
        }
    }
}

extension ParityResult {
    /// The verdict with the numbers that it was made of, or with the reason why there are none.
    public var sentence: String {
        let numbers = [
            top1Agreement.number.map { "top-1 \(short($0))" },
            top1OrTie.number.map { "\(short($0)) with ties of \(short(tieNats)) nats" },
            meanKL.number.map { "mean KL \(short($0)) nats" },
        ].compactMap(\.self)
        let told = numbers.isEmpty ? [] : [numbers.joined(separator: ", ") + " over \(positions) positions"]
        return "\(verdict.words): " + ([reason].compactMap(\.self) + told).joined(separator: "; ")
    }
}
