extension Environment {
    /// Checks that describe the machine without speaking against it: they keep no run out of a ranking.
    private static let neverExcluding: Set = ["virtual_machine", "container", "threads"]
    /// Heat that a run made itself is what retained and droop measure, so it keeps no run out; only a start that
    /// was not cool does (docs/decisions/0012).
    private static let heat: Set = ["temperature", "throttling"]

    /// - Parameters:
    ///   - lines: of both moments; those of one moment add up, and the first value of a name stands.
    ///   - slowed: shares of the reads in which a board's driver named heat as what limits its clocks.
    init(_ lines: [ConditionsLine], slowed: [(board: String, share: Double)] = []) {
        let before = lines.filter { $0.moment == .before }
        let after = lines.filter { $0.moment == .after }
        let checks = (before.flatMap(\.checks), after.flatMap(\.checks))
        let changes = ChangesOverRun(
            before: Self.joined(before.map(\.counts)),
            after: after.isEmpty ? nil : Self.joined(after.map(\.counts)), slowed: slowed)
        let verdicts = Self.merged(checks.0, checks.1) + changes.checks
        self.init(
            identity: Self.joined(before.map(\.identity)), before: checks.0,
            after: Maybe(
                after.isEmpty ? nil : checks.1, else: "the conditions were not read after the run"),
            filter: Filter(
                verdicts: verdicts,
                excluded: verdicts.contains { Self.excludes($0, startedAs: checks.0) }))
    }

    private static func excludes(_ check: Condition, startedAs before: [Condition]) -> Bool {
        guard check.verdict == .fail, !neverExcluding.contains(check.name) else { return false }
        return !heat.contains(check.name)
            || before.contains { $0.name == check.name && $0.verdict == .fail }
    }

    private static func joined<Value>(_ parts: [[String: Value]]) -> [String: Value] {
        parts.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }

    /// One verdict a check, the worst of all with what was seen then.
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
