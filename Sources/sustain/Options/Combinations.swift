import Analysis

/// One combination of the values of list options.
struct Combination: Sendable {
    let options: ParsedOptions
    /// What tells it from the others: "-m q4.gguf -t 2"; empty where there are no others.
    let name: String
}

extension ParsedOptions {
    /// More would take years, and is a mistyped list.
    static let mostCombinations = 10_000

    /// The cross product of all list options, in the order of the command's table: the last list changes fastest,
    /// as in llama-bench's nested loops. A value given twice counts once, however it is spelt.
    ///
    /// - Throws: a usage `Failure` where there are more than `mostCombinations`.
    func combinations() throws(Failure) -> [Combination] {
        var combinations = [Combination(options: self, name: "")]
        for option in command.options where option.isList {
            var seen: Set<String> = []
            let values = (values[option.key] ?? []).filter { seen.insert(option.meaning(of: $0)).inserted }
            guard values.count > 1 || values.count < (self.values[option.key] ?? []).count else { continue }
            guard combinations.count * values.count <= Self.mostCombinations else {
                throw Failure(
                    thing: "sustain \(command.name)",
                    cause: "its lists make over \(Self.mostCombinations) combinations",
                    remedy: "give fewer values", exit: .usage)
            }
            let spelling = option.names.min { $0.count < $1.count } ?? option.key
            combinations = combinations.flatMap { combination in
                values.map { value in
                    let own = values.count > 1 ? ["\(spelling) \(value)"] : []
                    return Combination(
                        options: combination.options.taking(value, of: option.key),
                        name: ([combination.name].filter { !$0.isEmpty } + own).joined(separator: " "))
                }
            }
        }
        return combinations
    }
}
