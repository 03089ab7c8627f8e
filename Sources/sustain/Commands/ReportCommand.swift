import Analysis
import Reports

/// `sustain report`: a table over records, or the frontier of energy against speed.
enum ReportCommand: SustainCommand {
    static let spec = CommandSpec(
        name: "report", summary: "compare records: table, frontier, exports", operands: "[DIR|RECORD ...]",
        mostOperands: 10_000,
        groups: [
            OptionGroup(
                title: "Options",
                options: [
                    .flag(
                        "--pareto", help: "rank decode J/token against sustained tok/s and mark the frontier"),
                    .value(
                        "--sort", placeholder: "COLUMN",
                        help: "order by a column; -COLUMN turns the order round"),
                    .value("--label", placeholder: "TEXT", help: "only runs whose label contains TEXT"),
                    .value(
                        "--output-format", "-o", placeholder: "FORMAT", default: "md",
                        help: "md, text, csv, json or jsonl"),
                ])
        ],
        examples: ["sustain report --pareto", "sustain report reports/published -o csv"])

    static func run(_ options: ParsedOptions) throws(Failure) -> ExitCode {
        let places = options.operands.isEmpty ? ["reports"] : options.operands
        let report = ReportOptions(
            directories: places, pareto: options.isSet("pareto"), format: try options.reportFormat(),
            sort: options.text("sort"), label: options.text("label"))
        let stored = Store.find(in: places)
        let (text, notes) = try Report.render(report, stored)
        try Output.result(text)
        for note in notes { Output.note("sustain: \(note)") }
        // Nothing at a place that was named is a failure; no runs yet in the default place is not.
        let nothing = stored.allSatisfy { $0.record == nil }
        return nothing && !options.operands.isEmpty ? .failed : .done
    }
}

extension ParsedOptions {
    /// The value of `-o`.
    func reportFormat() throws(Failure) -> ReportFormat {
        try choice("output-format", ReportFormat.self) ?? .markdown
    }

    /// Prints one run: its record with `--json`, else its summary, or its row in another format.
    func printRun(_ record: Record, document: [UInt8], path: String) throws(Failure) {
        let format = try reportFormat()
        if isSet("json") {
            try Output.result(document)
        } else if format == .text {
            try Output.result(RunSummary.text(record))
        } else {
            let options = ReportOptions(directories: [path], format: format)
            try Output.result(try Report.render(options, [.record(record, path: path)]).text)
        }
    }
}
