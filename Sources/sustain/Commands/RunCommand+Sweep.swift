import Analysis
import Reports
import Session

/// `sustain run` over lists of values: a run for each combination, and a table of all of them.
extension ParsedOptions {
    func sweep(_ combinations: [Combination], display: ProgressDisplay) throws(Failure) -> ExitCode {
        var points: [SweepPoint] = []
        for combination in combinations {
            points.append(
                SweepPoint(name: combination.name, options: try RunOptions(combination.options)))
        }
        let output = text("output") ?? "reports"
        let sweep = Sweep(points: points, tool: .current, display: display) { FitHistory.read(output) }
        let result = try sweep.run(earlier: isSet("again") ? [] : Self.runs(in: output))
        if !result.rows.isEmpty { try printSweep(result, output: output) }
        for failure in result.failures { Output.error(failure) }
        if result.isInterrupted { display.say("the same command goes on with what is left") }
        return result.exit
    }

    private static func runs(in directory: String) -> [EarlierRun] {
        Store.find(in: [directory]).compactMap { stored in
            if case .record(let record, let path) = stored {
                EarlierRun(record: record, path: path)
            } else {
                nil
            }
        }
    }

    /// The rows that `report` prints of the same runs, in the order of the points; with `--json` the records.
    private func printSweep(_ result: SweepResult, output: String) throws(Failure) {
        if isSet("json") {
            do {
                try Output.result(try CanonicalJSON.document(result.rows.map(\.record)))
            } catch {
                throw error as? Failure ?? Failure(thing: "sustain run", cause: "cannot be encoded: \(error)")
            }
            return
        }
        // Each point is a row: medians are for what was measured more than once.
        let options = ReportOptions(directories: [output], format: try reportFormat(), everyRun: true)
        let stored = result.rows.map { StoredRun.record($0.record, path: $0.path) }
        try Output.result(try Report.render(options, stored, source: .files).text)
    }
}
