extension SourceSummary {
    /// Sources in the order of their lines, then what was looked for and not opened.
    static func all(of trace: Trace, energy: EnergySeam) -> [SourceSummary] {
        let rows = Dictionary(trace.capabilities.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var result = trace.sources.map { source in
            let row = rows[source.id]
            let counted = energy.counted(source)
            return SourceSummary(
                id: source.id, kind: .known(source.kind), scope: .known(source.scope),
                status: row?.status ?? .ok,
                reason: row?.reason, remedy: row?.remedy, updatePeriodSeconds: counted.updatePeriodSeconds,
                wraps: counted.wraps, resets: counted.resets, voidIntervals: counted.voidIntervals)
        }
        var listed = Set(trace.sources.map(\.id))
        for row in trace.capabilities where listed.insert(row.id).inserted {
            let why = row.reason ?? "not opened"
            result.append(
                SourceSummary(
                    id: row.id, kind: .unavailable(why), scope: .unavailable(why), status: row.status,
                    reason: row.reason, remedy: row.remedy, updatePeriodSeconds: .unavailable(why)))
        }
        return result
    }
}
