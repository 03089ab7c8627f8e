import Analysis
import FoundationEssentials

/// Runs that could not begin.
extension Run {
    /// Keeps what stopped a run before anything of it was measured as a run that failed: whoever asked for several
    /// finds it among them.
    ///
    /// - Throws: where no directory can be made or written to.
    static func keep(
        _ failure: Failure, of options: RunOptions, tool: ToolBuild
    ) throws(Failure) -> RunResult {
        let directory = try RunDirectory.claim(in: options.output, name: slugSource(options), at: Date())
        let trace = try TraceWriter(path: directory.tracePath)
        try trace.append(.header(header(options, id: directory.id, tool: tool)))
        var outcome = OutcomeLine(.failed, cause: "\(failure.thing): \(failure.cause)")
        outcome.remedy = failure.remedy
        try trace.append(.outcome(outcome))
        try trace.append(.end(EndLine(time: Clock.now, sleptNanoseconds: Clock.slept)))
        try trace.synchronize()
        let analyzed = try AnalyzedRun.read(directory.tracePath)
        return RunResult(
            directory: directory, record: analyzed.record, document: analyzed.document, failure: failure,
            notes: analyzed.writeRecord())
    }
}
