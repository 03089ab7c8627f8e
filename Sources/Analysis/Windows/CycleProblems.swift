/// What is wrong with cycles, gathered by kind so that a thousand faults are one sentence.
struct CycleProblems: Sendable {
    private static let named = 5
    private var kinds: [String] = []
    private var cycles: [String: [Int]] = [:]
    private var counts: [String: Int] = [:]

    /// - Parameter kind: a clause that goes after "cycle 3: ".
    mutating func add(_ kind: String, cycle: Int) {
        if counts[kind] == nil { kinds.append(kind) }
        counts[kind, default: 0] += 1
        if cycles[kind, default: []].count < Self.named { cycles[kind, default: []].append(cycle) }
    }

    /// One sentence a kind, in the order in which the kinds were met.
    var warnings: [String] {
        kinds.map { kind in
            let count = counts[kind] ?? 0
            let numbers = (cycles[kind] ?? []).map(String.init).joined(separator: ", ")
            return count > Self.named
                ? "cycles \(numbers) and \(count - Self.named) more: \(kind)"
                : "cycle\(count == 1 ? "" : "s") \(numbers): \(kind)"
        }
    }
}
