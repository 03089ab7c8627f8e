import Analysis
import Reports
import Session

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
                    ReportFormat.option(default: .markdown),
                    .value(
                        "--chart", placeholder: "NAME",
                        help:
                            "what -o svg draws: pareto, the default of several runs; rate, the default of one; "
                            + "power, energy, temperature, clock, memory or latency",
                        choices: ChartName.allCases.map(\.rawValue)),
                ])
        ],
        examples: [
            "sustain report --pareto", "sustain report reports/published -o csv",
            "sustain report reports/20261130T005600Z-q4-0a1b2c -o html > run.html",
        ])

    static func run(_ options: ParsedOptions) throws(Failure) -> ExitCode {
        let places = options.operands.isEmpty ? ["reports"] : options.operands
        let report = ReportOptions(
            directories: places, pareto: options.isSet("pareto"), format: try options.reportFormat(),
            sort: options.text("sort"), label: options.text("label"),
            chart: try options.choice("chart", ChartName.self))
        if report.chart != nil, report.format != .svg {
            throw Failure(
                thing: "--chart", cause: "names what -o svg draws", remedy: "add -o svg", exit: .usage)
        }
        let stored = Store.find(in: places)
        let (text, notes) = try Report.render(report, stored, series: AnalyzedRun.series)
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
            try Output.result(
                try Report.render(
                    options, [.record(record, path: path)], series: AnalyzedRun.series
                ).text)
        }
    }
}

extension ReportFormat {
    /// The option `-o`, the same for every command that prints records.
    static func option(default fallback: ReportFormat) -> OptionSpec {
        .value(
            "--output-format", "-o", placeholder: "FORMAT", default: fallback.rawValue,
            help: "md, text, csv, json, jsonl, html (a page) or svg (a chart)",
            choices: allCases.map(\.rawValue))
    }
}
