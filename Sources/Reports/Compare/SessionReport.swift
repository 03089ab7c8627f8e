import Analysis

/// In what form a comparison is printed.
public enum SessionFormat: String, Sendable, CaseIterable {
    case text
    case markdown = "md"
    case csv
    case json
    case jsonl
    case junit
}

/// A comparison as it is printed: verdicts in words, a table, gates, and what limits them.
public enum SessionReport {
    /// - Parameters:
    ///   - drift: how the reference stands against an earlier session; nil where there is none.
    ///   - bytes: of `session.json`.
    public static func render(
        _ session: SessionDocument, _ format: SessionFormat, drift: ControlDrift?, bytes: [UInt8]
    ) throws(Failure) -> String {
        switch format {
        case .text: plain(session, drift)
        case .markdown: markdown(session, drift)
        case .csv: SessionRows(session).csv
        case .json: String(decoding: bytes, as: UTF8.self)
        case .jsonl: try SessionRows(session).jsonLines()
        case .junit: JUnit.text(session)
        }
    }

    private static let width = 100

    private static func plain(_ session: SessionDocument, _ drift: ControlDrift?) -> String {
        let sentences = session.comparisons.map {
            $0.sentence.escapedForDisplay.wrapped(width: width, indent: 2) + "\n"
        }
        var text = sentences.joined(separator: "\n") + "\n"
        text += SessionTable(session) { CellText.terminal($0) }.grid.plain()
        let notes = notes(session, drift)
        if !notes.isEmpty { text += "\n" }
        return text
            + notes.map { "- \($0.escapedForDisplay)".wrapped(width: width, indent: 2) + "\n" }.joined()
    }

    private static func markdown(_ session: SessionDocument, _ drift: ControlDrift?) -> String {
        func safe(_ text: String) -> String { CellText.markdown(text, limit: 2000) }
        var text = session.comparisons.map { safe($0.sentence) + "\n\n" }.joined()
        text += SessionTable(session) { CellText.markdown($0) }.grid.markdown()
        let notes = notes(session, drift)
        if !notes.isEmpty { text += "\n" }
        return text + notes.map { "- \(safe($0))\n" }.joined()
    }

    // MARK: Notes

    private static func notes(_ session: SessionDocument, _ drift: ControlDrift?) -> [String] {
        var notes = session.gates.map(gate)
        for variant in session.variants where variant.outcome.status != .completed {
            notes.append("\(variant.name): \(variant.outcome.cause ?? variant.outcome.status.rawValue)")
        }
        if session.outcome.status != .completed {
            let quads = session.comparisons.map { "\($0.quads) of \($0.quadsPlanned)" }
            notes.append(
                "\(session.outcome.status.rawValue): \(session.outcome.cause ?? "unknown cause"); "
                    + (session.runs == nil ? "whole quads: " : "pairs of runs: ")
                    + quads.joined(separator: ", "))
        }
        notes += missing(session)
        if let unavailable = session.total.unavailable {
            notes.append("energy: not compared: \(unavailable)")
        } else {
            notes.append("energy: \(session.total.includes.joined(separator: " + "))")
        }
        notes.append(method(session))
        if let drift { notes.append(control(drift)) }
        return notes + failedConditions(session) + session.warnings.map { "warning: \($0)" }
    }

    /// What was not as it should be on the machine, a sentence each.
    static func failedConditions(_ session: SessionDocument) -> [String] {
        let whose = session.runs == nil ? "for all variants alike" : "in one run or more"
        return session.environment.filter.verdicts.filter { $0.verdict == .fail }.map {
            "condition failed, \(whose): \($0.name): \($0.seen)"
        }
    }

    /// How the figures came to be.
    private static func method(_ session: SessionDocument) -> String {
        let how = "\(session.residency.mode): \(session.residency.reason); "
        guard let runs = session.runs else {
            return how
                + "the interleaved variants share the heat: nothing here tells what is retained over minutes; "
                + "--sustained does"
        }
        let seconds = short(session.protocol.seconds.value)
        let complete = runs.count { $0.outcome.status == .completed }
        return how
            + "\(complete) complete runs of \(seconds) s, each with a record of its own beside the session"
    }

    private static func gate(_ gate: SessionDocument.Gate) -> String {
        let reason = gate.reason.map { ": \($0)" } ?? ""
        return "--fail-if \(gate.gate): \(gate.variant): \(gate.verdict.rawValue)\(reason)"
    }

    /// Why cells of the table are empty, each reason once.
    private static func missing(_ session: SessionDocument) -> [String] {
        session.comparisons.flatMap { comparison -> [String] in
            var reasons: [(reason: String, metrics: [String])] = []
            for metric in SessionTable.metrics(session) {
                guard let reason = comparison.effects[metric.rawValue]?.reason else { continue }
                if let position = reasons.firstIndex(where: { $0.reason == reason }) {
                    reasons[position].metrics.append(metric.rawValue)
                } else {
                    reasons.append((reason, [metric.rawValue]))
                }
            }
            return reasons.map {
                "\(comparison.variant): no \($0.metrics.joined(separator: ", ")): \($0.reason)"
            }
        }
    }

    private static func control(_ drift: ControlDrift) -> String {
        let parts = ControlDrift.metrics.compactMap { metric in
            drift.ratios[metric].map { "\(metric.rawValue) \(SessionTable.signed($0 - 1)) %" }
        }
        return "control: the reference against itself in \(drift.id): \(parts.joined(separator: ", "))"
    }
}
