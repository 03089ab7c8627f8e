/// The contexts of `until-failure-v1`: each twice as long as the one before, the last as long as was asked for.
enum DepthLadder {
    static let shortest = 512
    /// Where neither the user nor the model's header names an end.
    static let unbounded = 131_072
    /// What a header claims beyond it is no context; `-c` takes no more either.
    private static let mostTrained: UInt64 = 10_000_000

    /// - Parameter trained: tokens of context that the model was trained with; nil where nobody tells.
    static func longest(trained: UInt64?) -> Int {
        Int(clamping: min(trained ?? UInt64(unbounded), mostTrained))
    }

    static func contexts(upTo longest: Int) -> [Int] {
        var contexts: [Int] = []
        var next = shortest
        while next < longest {
            contexts.append(next)
            let (twice, overflow) = next.multipliedReportingOverflow(by: 2)
            next = overflow ? .max : twice
        }
        return contexts + [longest]
    }
}
