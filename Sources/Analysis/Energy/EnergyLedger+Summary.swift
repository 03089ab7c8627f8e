extension EnergyLedger {
    /// What the record says of each energy source; times count from `start`, the trace's anchor.
    public func summaries(since start: Instant) -> [SourceSummary] {
        sources.map { source in
            var summary = SourceSummary(
                id: source.line.id, kind: .known(source.line.kind), scope: .known(source.line.scope),
                status: source.health.status, reason: source.health.reason ?? source.problem,
                updatePeriodSeconds: source.periodFigure,
                wraps: source.counter?.wraps.count ?? 0, resets: source.counter?.resets ?? 0,
                voidIntervals: source.voids.map { void in
                    SourceSummary.VoidInterval(
                        begin: (void.span.begin - start).seconds.value,
                        end: (void.span.end - start).seconds.value, reason: void.reason)
                })
            summary.sensorAccuracy = Maybe(source.line.accuracy, else: "unknown")
            switch source.fit {
            case .success(let fit):
                summary.phaseFit = .known(PhaseFitSummary(fit, blocks: source.fitted?.draws.blocks))
            case .failure(let why): summary.phaseFit = .unavailable(why)
            case nil: break
            }
            return summary
        }
    }
}
