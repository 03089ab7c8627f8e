import Analysis
import Reports
import Session

/// `sustain run`: measures one build and prints its table, or its record with `--json`; of lists of values it makes
/// a sweep.
enum RunCommand: SustainCommand {
    static let spec = RunOptionTable.spec

    static func run(_ options: ParsedOptions) throws(Failure) -> ExitCode {
        // A wrong format is told before the run, not after it.
        _ = try options.reportFormat()
        let display = ProgressDisplay(mode: ProgressDisplay.mode(quiet: options.isSet("quiet")))
        let combinations = try options.combinations()
        if combinations.count > 1 { return try options.sweep(combinations, display: display) }
        var run = try RunOptions(combinations.first?.options ?? options)
        if run.model != nil { run.history = FitHistory.read(run.output) }
        let result = try Run.execute(run, tool: .current, display: display)
        try options.printRun(result.record, document: result.document, path: result.directory.recordPath)
        if result.notes.isEmpty { display.say("record: \(result.directory.recordPath)") }
        for note in result.notes {
            Output.error(note)
            Output.note("  the trace is kept: sustain analyze \(result.directory.path)".escapedForDisplay)
        }
        if let failure = result.failure {
            if !result.notes.contains(failure) { Output.error(failure) }
            return failure.exit
        }
        return .done
    }
}

/// `sustain analyze`: makes the record of a trace anew.
enum AnalyzeCommand: SustainCommand {
    static let spec = CommandSpec(
        name: "analyze", summary: "make a run's record anew from its trace", operands: "RUN", mostOperands: 1,
        groups: [
            OptionGroup(
                title: "Output",
                options: [
                    ReportFormat.option(default: .text),
                    .flag("--json", help: "print the record on standard output instead of the table"),
                ])
        ],
        examples: [
            "sustain analyze reports/20261130T005600Z-q4-0a1b2c", "sustain analyze trace.jsonl --json",
        ])

    static func run(_ options: ParsedOptions) throws(Failure) -> ExitCode {
        guard let path = options.operands.first else {
            throw Failure(
                thing: "sustain analyze", cause: "names no run",
                remedy: "give a run's directory or its trace.jsonl",
                exit: .usage)
        }
        if let session = try AnalyzedSession.read(path) {
            for note in session.write() { Output.error(note) }
            let named = options.isSet("json") ? "json" : options.text("output-format") ?? "text"
            guard let format = SessionFormat(rawValue: named) else {
                throw Failure(
                    thing: "-o \(named)", cause: "a comparison is not printed as that",
                    remedy: "one of: \(SessionFormat.allCases.map(\.rawValue).joined(separator: ", "))",
                    exit: .usage)
            }
            try Output.result(try text(of: session, format))
            return .done
        }
        return try printRun(path, options)
    }

    /// A session without all of its runs is shown as its document holds it.
    private static func text(of session: AnalyzedSession, _ format: SessionFormat) throws(Failure) -> String {
        if !session.missing.isEmpty, let kept = SessionStore.read(session.path),
            kept.id == session.document.id,
            let bytes = try? CanonicalJSON.document(kept)
        {
            return try SessionReport.render(kept, format, drift: nil, bytes: bytes)
        }
        return try SessionReport.render(session.document, format, drift: nil, bytes: session.bytes)
    }

    private static func printRun(_ path: String, _ options: ParsedOptions) throws(Failure) -> ExitCode {
        let analyzed = try AnalyzedRun.read(path)
        for note in analyzed.writeRecord() { Output.error(note) }
        try options.printRun(analyzed.record, document: analyzed.document, path: analyzed.recordPath)
        return .done
    }
}
