import Analysis

/// What a summary says of a run with `--until-failure`: how deep it came, step by step, and what ended it.
struct DepthFacts {
    var record: Record

    /// None for any other run.
    var lines: [Fact] {
        guard let depths = record.depths else { return [] }
        let deepest =
            depths.deepestTokens.value.map { "\(tokens($0)) filled" }
            ?? FactText.missing(depths.deepestTokens.reason ?? "")
        let predicted =
            depths.predictedEndTokens.value.map { "; the fit called \(tokens($0)) too much" } ?? ""
        return [Fact("depth", deepest + "; " + end(depths) + predicted)]
            + depths.steps.map { Fact("", step($0)) }
    }

    private func end(_ depths: DepthSummary) -> String {
        guard let kind = depths.end.value else { return FactText.missing(depths.end.reason ?? "") }
        let place = depths.steps.last.map { " at \(tokens($0.contextTokens))" } ?? ""
        let phase = depths.phase.value.map { ", in \($0.rawValue)" } ?? ""
        return Self.words(kind) + place + phase
    }

    private func step(_ step: DepthSummary.Step) -> String {
        let rate = Notation.figure(step.decodeTokensPerSecond).map { ", \($0) t/s" } ?? ""
        let resident = step.residentBytes.value.map { ", rss \(Notation.bytes(Double($0)))" } ?? ""
        let estimate = step.estimateBytes.map { ", estimated \(Notation.bytes(Double($0)))" } ?? ""
        let fit = step.fit == .doesNotFit ? " (does not fit)" : ""
        return "\(tokens(step.contextTokens)) \(step.completed ? "filled" : "not filled")"
            + rate + resident + estimate + fit
    }

    private func tokens(_ count: Int) -> String { "\(Notation.count(UInt64(clamping: count))) tokens" }

    /// What ended a run, in a clause.
    static func words(_ kind: OutcomeLine.Kind) -> String {
        switch kind {
        case .governor: "the memory governor ended the engine"
        case .oomKill: "the kernel's OOM killer ended the engine"
        case .killed: "something killed the engine"
        case .outOfMemory: "the engine was refused memory"
        case .deviceOutOfMemory: "a GPU's memory ran out"
        case .badAllocation: "an allocation of the engine failed"
        case .signal: "the engine crashed"
        case .exitStatus: "the engine ended by itself"
        case .silence: "the engine said nothing any more"
        case .protocolBroken: "the engine broke its protocol"
        case .engineError: "the engine reported an error"
        case .predictedEnd: "more than there is would have been needed"
        case .endReached: "the longest context was filled"
        case .timeOver: "--seconds were over"
        case .other: "an end that this version does not know"
        }
    }
}
