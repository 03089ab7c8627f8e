extension SourceSummary {
    /// Sources in the order of their lines, then what was looked for and not opened.
    ///
    /// What the readings themselves show of an energy source (dead, frozen, mirrored) stands before what the
    /// probe thought of it at the start.
    static func all(of trace: Trace, ledger: EnergyLedger) -> [SourceSummary] {
        // A later row tells what became of a source during the run.
        let rows = Dictionary(trace.capabilities.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
        let judged = Dictionary(
            zip(ledger.sources.map(\.line.index), ledger.summaries(since: trace.header.start)),
            uniquingKeysWith: { first, _ in first })
        var result = trace.sources.map { source in
            let row = rows[source.id]
            var summary =
                judged[source.index]
                ?? SourceSummary(
                    id: source.id, kind: .known(source.kind), scope: .known(source.scope), status: .ok,
                    updatePeriodSeconds: .unavailable("estimated for energy sources only"))
            summary.interface = source.interface
            summary.derivation = source.derivation
            summary.pace = source.pace
            if summary.status == .ok, let row { summary.status = row.status }
            summary.reason = summary.reason ?? row?.reason
            summary.remedy = row?.remedy
            return summary
        }
        var listed = Set(trace.sources.map(\.id))
        for first in trace.capabilities where listed.insert(first.id).inserted {
            let row = rows[first.id] ?? first
            result.append(SourceSummary(notOpened: row, why: row.reason ?? "not opened"))
        }
        return result
    }

    /// A source that was looked for and could not be opened.
    init(notOpened row: CapabilitiesLine.Row, why: String) {
        self.init(
            id: row.id, kind: .unavailable(why), scope: .unavailable(why), status: row.status,
            reason: row.reason, remedy: row.remedy, updatePeriodSeconds: .unavailable(why))
    }
}
