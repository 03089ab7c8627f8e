import Analysis
import Glibc
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
                        "--pareto",
                        help: "mark the frontier of decode J/token against sustained tok/s, with a plot"),
                    .value(
                        "--axes", placeholder: "X,Y",
                        help: "the frontier of two other figures, by their names in exports; implies --pareto"
                    ),
                    .value(
                        "--sort", placeholder: "COLUMN",
                        help: "order by a column; -COLUMN turns the order round"),
                    .value("--label", placeholder: "TEXT", help: "only runs whose label contains TEXT"),
                    .value(
                        "--filter", placeholder: "KEY OP VALUE",
                        help: "only runs for which it holds: 'threads=8', 'sustained>100', 'model_type~8B'; "
                            + "OP is =, !=, <, <=, >, >= or ~ (contains); may be repeated"),
                    .value(
                        "--since", placeholder: "WHEN",
                        help:
                            "only runs begun at a date (2026-11-30, UTC), a moment or within an age (36h, 7d)"
                    ),
                    .flag("--runs", help: "each run a row of its own, not the medians of groups"),
                    .flag(
                        "--checklist", help: "the measurement checklist of each record instead of the table"),
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
            "sustain report --axes peak_rss_bytes,sustained --filter 'quantization~Q4'",
            "sustain report reports/20261130T005600Z-q4-0a1b2c -o html > run.html",
        ])

    static func run(_ options: ParsedOptions) throws(Failure) -> ExitCode {
        let places = options.operands.isEmpty ? ["reports"] : options.operands
        let report = try reportOptions(options, places)
        let (stored, indexNotes) = Store.runs(
            in: places, index: IndexPlace.user, samples: report.format.showsSamples)
        let (text, notes) = try Report.render(report, stored, source: .files)
        try Output.result(text)
        let isForReading = [.text, .markdown].contains(report.format)
        let comparisons = isForReading ? [SessionStore.note(in: places)].compactMap(\.self) : []
        for note in notes + indexNotes + comparisons { Output.note("sustain: \(note)") }
        // Nothing at a place that was named is a failure; no runs yet in the default place is not.
        let nothing = stored.allSatisfy { $0.run == nil }
        return nothing && !options.operands.isEmpty ? .failed : .done
    }

    private static func reportOptions(
        _ options: ParsedOptions, _ places: [String]
    ) throws(Failure) -> ReportOptions {
        var report = ReportOptions(
            directories: places, pareto: options.isSet("pareto") || options.isSet("axes"),
            axes: options.text("axes"), format: try options.reportFormat(), sort: options.text("sort"),
            label: options.text("label"), filters: options.values["filter"] ?? [],
            everyRun: options.isSet("runs"), checklist: options.isSet("checklist"),
            chart: try options.choice("chart", ChartName.self), terminal: .standardOutput)
        if let since = options.text("since") {
            var now = timespec()
            guard clock_gettime(CLOCK_REALTIME, &now) == 0 else {
                throw Failure(thing: "the wall clock", cause: "cannot be read")
            }
            report.since = try Since(since, now: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
        }
        if report.chart != nil, report.format != .svg {
            throw Failure(
                thing: "--chart", cause: "names what -o svg draws", remedy: "add -o svg", exit: .usage)
        }
        if report.checklist, report.pareto || report.sort != nil || report.everyRun {
            throw Failure(
                thing: "--checklist",
                cause: "is no table of figures: it goes with no --pareto, --sort or --runs",
                remedy: "leave one of them out", exit: .usage)
        }
        return report
    }
}

extension ReportSource {
    /// Records and traces out of the files they were found in.
    static let files = ReportSource(
        record: { run in
            if let record = run.record { return .success(record) }
            return Store.record(at: run.path)
        }, series: AnalyzedRun.series)
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
                try Report.render(options, [.record(record, path: path)], source: .files).text)
        }
    }
}

extension ReportFormat {
    /// The option `-o`, the same for every command that prints records.
    static func option(default fallback: ReportFormat) -> OptionSpec {
        .value(
            "--output-format", "-o", placeholder: "FORMAT", default: fallback.rawValue,
            help:
                "md, text, csv, json, jsonl, html (a page), svg (a chart) or llama-bench (its JSON, its keys alone)",
            choices: allCases.map(\.rawValue))
    }
}
