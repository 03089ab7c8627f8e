import Analysis
import Reports
import Session

/// `sustain compare`: several builds against each other, a verdict each, and an exit code.
enum CompareCommand: SustainCommand {
    static let spec = CompareOptionTable.spec

    static func run(_ options: ParsedOptions) throws(Failure) -> ExitCode {
        // A wrong format or gate is told before hours of work, not after them.
        let format =
            options.isSet("json")
            ? SessionFormat.json : try options.choice("output-format", SessionFormat.self) ?? .text
        for gate in options.values["fail-if"] ?? [] {
            let metric = try ChangeGate(gate).metric
            if metric.needsWholeRuns, !options.isSet("sustained") {
                throw Failure(
                    thing: "--fail-if \(gate)",
                    cause: "interleaved variants share the heat: they have no \(metric.rawValue)",
                    remedy: "--sustained compares whole runs", exit: .usage)
            }
        }
        if let how = options.text("inconclusive"), !["pass", "fail"].contains(how) {
            throw Failure(thing: "--inconclusive \(how)", cause: "not one of pass, fail", exit: .usage)
        }
        var compare = try CompareOptions(options)
        let output = options.text("output") ?? "reports"
        let history = FitHistory.read(output)
        for index in compare.variants.indices { compare.variants[index].run.history = history }
        let display = ProgressDisplay(mode: ProgressDisplay.mode(quiet: options.isSet("quiet")))
        let result =
            compare.wholeRuns == nil
            ? try Compare.execute(compare, tool: .current, display: display)
            : try WholeRuns.execute(compare, tool: .current, display: display)
        let drift = ControlDrift.of(result.document, among: SessionStore.latest(in: output))
        try Output.result(
            try SessionReport.render(result.document, format, drift: drift, bytes: result.bytes))
        return end(result, display)
    }

    private static func end(_ result: CompareResult, _ display: ProgressDisplay) -> ExitCode {
        if result.notes.isEmpty { display.say("session: \(result.directory.path)/session.json") }
        for note in result.notes {
            Output.error(note)
            Output.note("  the trace is kept: sustain analyze \(result.directory.path)".escapedForDisplay)
        }
        let code = result.document.exitCode
        guard let failure = result.failure else {
            if let why = result.document.withoutSpeed { Output.error(why) }
            return code
        }
        if !result.notes.contains(failure) { Output.error(failure) }
        // A gate that failed is the news, whatever else went wrong.
        return code == .gateFailed ? code : failure.exit
    }
}
