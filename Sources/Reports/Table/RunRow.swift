import Analysis

/// One row of a table: one run, or the medians of several, seen in one of its phases, as llama-bench has one row a
/// test.
struct RunRow {
    enum Phase { case prefill, decode }

    var run: Run
    var phase: Phase

    /// The rows of a run: prompt processing and token generation, whichever the workload has.
    static func rows(of run: Run) -> [RunRow] {
        let workload = run.digest.protocol
        var rows: [RunRow] = []
        if workload.promptTokens > 0 { rows.append(RunRow(run: run, phase: .prefill)) }
        if workload.generatedTokens > 1 || rows.isEmpty { rows.append(RunRow(run: run, phase: .decode)) }
        return rows
    }

    var record: RunDigest { run.digest }

    /// True for the row that says what is true of the whole run: the last one.
    var isMain: Bool { phase == .decode || run.digest.protocol.generatedTokens <= 1 }

    var metrics: RunDigest.Phase { phase == .prefill ? run.digest.prefill : run.digest.decode }

    /// llama-bench's name of the test. Decoding follows the prompt, so it starts at the prompt's depth.
    var test: String {
        let workload = record.protocol
        let estimated = record.engine.value?.tokenCounts == "estimated" ? " (estimated)" : ""
        if phase == .prefill { return "pp\(workload.promptTokens)" + estimated }
        let depth = workload.promptTokens > 0 ? " @ d\(workload.promptTokens)" : ""
        return "tg\(workload.generatedTokens)" + depth + estimated
    }
}
