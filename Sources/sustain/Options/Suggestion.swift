/// "Did you mean": the nearest known word to a mistyped one.
enum Suggestion {
    /// The candidate with the smallest edit distance, or nil when none is near enough to be meant.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let limit = max(1, word.count / 3)
        let best = candidates.map { (candidate: $0, distance: distance(word, $0)) }
            .min { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }
        guard let best, best.distance <= limit else { return nil }
        return best.candidate
    }

    /// Optimal string alignment distance: insertions, deletions, substitutions and adjacent swaps.
    static func distance(_ left: String, _ right: String) -> Int {
        let a = Array(left.unicodeScalars)
        let b = Array(right.unicodeScalars)
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1] + [Int](repeating: 0, count: b.count)
            for j in b.indices {
                let substitution = last[j] + (a[i] == b[j] ? 0 : 1)
                row[j + 1] = min(last[j + 1] + 1, row[j] + 1, substitution)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    row[j + 1] = min(row[j + 1], beforeLast[j - 1] + 1)
                }
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
