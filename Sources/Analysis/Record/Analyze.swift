/// From what was read to what it means: the one path that `run`, `analyze` and tests share.
public enum Analyze {
    /// Every figure of a run. Total: whatever the trace lacks is unavailable with its reason.
    ///
    /// The same trace gives the same record: no clock, no random number, no order of a hash table goes into it.
    public static func record(from trace: Trace) -> Record {
        let timeline = Timeline(trace)
        let builder = MetricsBuilder(trace, timeline)
        let metrics = builder.metrics
        var record = Record(
            id: trace.header.id, label: trace.header.label, started: trace.header.wallClock,
            tool: trace.header.tool, artifact: Maybe(trace.artifact, else: "the trace names no artifact"),
            engine: Maybe(trace.engine.map(EngineSummary.init), else: "no engine said hello"),
            protocol: trace.workload, options: trace.header.options,
            environment: Environment(trace.conditions, slowed: ChangesOverRun.slowed(trace)),
            sources: SourceSummary.all(of: trace, ledger: builder.energy.ledger),
            total: builder.energy.total, windows: timeline.windows(builder.contention), metrics: metrics,
            memory: MemorySummary(trace), overhead: OverheadSummary.of(trace.overhead),
            warnings: trace.warnings + trace.notes.warnings + timeline.problems
                + builder.warnings(on: metrics),
            outcome: OutcomeSummary(trace, timeline))
        record.generations = GenerationSummary.all(of: trace)
        record.depths = DepthSummary(trace, timeline)
        return record
    }
}
