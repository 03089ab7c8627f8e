extension Environment {
    /// Checks that describe the machine without speaking against it: they keep no run out of a ranking.
    private static let neverExcluding: Set = ["virtual_machine", "container", "threads"]

    /// The first lines of either moment count; the identity is taken before the run.
    init(_ lines: [ConditionsLine]) {
        let before = lines.first { $0.moment == .before }
        let after = lines.first { $0.moment == .after }
        let verdicts = Self.merged(before?.checks ?? [], after?.checks ?? [])
        self.init(
            identity: before?.identity ?? [:], before: before?.checks ?? [],
            after: Maybe(after?.checks, else: "the conditions were not read after the run"),
            filter: Filter(
                verdicts: verdicts,
                excluded: verdicts.contains {
                    $0.verdict == .fail && !Self.neverExcluding.contains($0.name)
                }))
    }

    /// One verdict a check, the worse of the two with what was seen then.
    private static func merged(_ before: [Condition], _ after: [Condition]) -> [Condition] {
        var result: [Condition] = []
        var positions: [String: Int] = [:]
        for check in before + after {
            if let position = positions[check.name] {
                if check.verdict.severity > result[position].verdict.severity { result[position] = check }
            } else {
                positions[check.name] = result.count
                result.append(check)
            }
        }
        return result
    }
}

extension Condition.Verdict {
    fileprivate var severity: Int {
        switch self {
        case .pass: 0
        case .cannotTell: 1
        case .fail: 2
        }
    }
}
