import Analysis

/// The formats of `sustain report -o`.
public enum ReportFormat: String, Sendable, CaseIterable {
    /// llama-bench's pipe table, its default too.
    case markdown = "md"
    case csv
    case json
    case jsonl
    /// A table for the terminal, without rules.
    case text
    /// One self-contained page: of one run, or of several compared.
    case html
    /// One chart as a picture.
    case svg
    /// JSON with llama-bench's keys and no others.
    case llamaBench = "llama-bench"

    /// Whether the samples of a run's cycles are shown.
    public var showsSamples: Bool { [.csv, .json, .jsonl, .llamaBench].contains(self) }
}

/// What `sustain report` was asked for.
public struct ReportOptions: Sendable {
    /// Where to look for records (`Store.runs`).
    public var directories: [String]
    /// Mark the frontier of two figures, in place of the orders.
    public var pareto: Bool
    /// Which figures: two names of `--axes`.
    public var axes: String?
    public var format: ReportFormat
    /// A column's title or export name; a "-" before it turns the order round. nil: by run id.
    public var sort: String?
    /// Only runs whose label contains this text, in upper or lower case.
    public var label: String?
    /// Only runs for which each of these holds (`--filter`).
    public var filters: [String]
    public var since: Since?
    /// Each run a row of its own, not the medians of groups.
    public var everyRun: Bool
    /// The checklist of each record in place of the table.
    public var checklist: Bool
    /// Which chart `svg` draws; nil for the frontier of several runs and the rolling rate of one.
    public var chart: ChartName?
    public var terminal: Terminal

    public init(
        directories: [String] = ["reports"], pareto: Bool = false, axes: String? = nil,
        format: ReportFormat = .markdown, sort: String? = nil, label: String? = nil, filters: [String] = [],
        since: Since? = nil, everyRun: Bool = false, checklist: Bool = false, chart: ChartName? = nil,
        terminal: Terminal = Terminal(isUnicode: false)
    ) {
        self.directories = directories
        self.pareto = pareto
        self.axes = axes
        self.format = format
        self.sort = sort
        self.label = label
        self.filters = filters
        self.since = since
        self.everyRun = everyRun
        self.checklist = checklist
        self.chart = chart
        self.terminal = terminal
    }
}

/// What a report shows of a run beside its digest, read where it is needed.
public struct ReportSource: Sendable {
    /// The whole record of a run.
    public var record: @Sendable (Run) -> Result<Record, Unavailable>
    /// What a run did over time, from the trace beside the record at `path`.
    public var series: @Sendable (_ record: Record, _ path: String) -> Result<RunSeries, Unavailable>

    public init(
        record: @escaping @Sendable (Run) -> Result<Record, Unavailable> = { run in
            run.record.map(Result.success) ?? .failure(Unavailable("the record was not kept"))
        },
        series: @escaping @Sendable (Record, String) -> Result<RunSeries, Unavailable> = { _, _ in
            .failure(Unavailable("the trace was not read"))
        }
    ) {
        self.record = record
        self.series = series
    }
}

/// The report over a store's runs.
public enum Report {
    /// The result for stdout, and notes for stderr: files that hold no record, what a filter left out.
    ///
    /// - Parameter source: asked for what pages, charts of one run and checklists show.
    /// - Throws: a `Failure` of exit code 2 where an option names nothing that there is, or a chart of one run is
    ///   asked for several.
    public static func render(
        _ options: ReportOptions, _ stored: [StoredRun], source: ReportSource = ReportSource()
    ) throws(Failure) -> (text: String, notes: [String]) {
        let axes = try ParetoAxes(options.axes ?? ParetoAxes.usual)
        var notes: [String] = []
        var runs: [Run] = []
        for entry in stored {
            switch entry {
            case .run(let run): runs.append(run)
            case .problem(let path, let reason):
                notes.append("\(path.escapedForDisplay): \(reason.escapedForDisplay)")
            }
        }
        if runs.isEmpty {
            let places = options.directories.map(\.escapedForDisplay).joined(separator: ", ")
            notes.append("no runs in \(places): `sustain run --model FILE` makes one")
        }
        runs = try chosen(runs, options, &notes)
        if options.checklist {
            let records = runs.compactMap { recordOf($0, source, &notes) }
            return (try ChecklistReport(records: records).text(options.format, options.terminal), notes)
        }
        var rows = options.everyRun ? runs : RunGroups.rows(of: runs)
        if let name = options.sort { rows = try RunOrder(name, for: rows).sorted(rows) }
        let table = ParetoTable(rows, axes: axes, sorted: options.pareto && options.sort == nil)
        return (try text(of: rows, table, options, source, &notes), notes)
    }

    /// What `--label`, `--since` and `--filter` leave.
    private static func chosen(
        _ runs: [Run], _ options: ReportOptions, _ notes: inout [String]
    ) throws(Failure) -> [Run] {
        var kept = runs
        if let label = options.label?.lowercased(), !label.isEmpty {
            kept = kept.filter { $0.digest.label?.lowercased().contains(label) ?? false }
            if kept.count < runs.count {
                notes.append("\(runs.count - kept.count) of \(runs.count) runs left out by --label")
            }
        }
        var answers: [(kept: [Run], note: String?)] = []
        if let since = options.since { answers.append(since.apply(kept)) }
        for text in options.filters {
            answers.append(try RunFilter(text).apply(answers.last?.kept ?? kept))
        }
        notes += answers.compactMap(\.note).map(\.escapedForDisplay)
        return answers.last?.kept ?? kept
    }

    private static func recordOf(_ run: Run, _ source: ReportSource, _ notes: inout [String]) -> Record? {
        switch source.record(run) {
        case .success(let record): return record
        case .failure(let why):
            notes.append("\(run.path.escapedForDisplay): \(why.reason.escapedForDisplay)")
            return nil
        }
    }

    private static func text(
        of rows: [Run], _ table: ParetoTable, _ options: ReportOptions, _ source: ReportSource,
        _ notes: inout [String]
    ) throws(Failure) -> String {
        let place: Place
        switch options.format {
        case .csv, .json, .jsonl:
            return try Export(rows, pareto: options.pareto ? table : nil).text(options.format)
        case .llamaBench: return try LlamaBenchExport(runs: rows).text()
        case .html:
            if rows.count == 1, rows[0].members.isEmpty, let record = recordOf(rows[0], source, &notes) {
                return RunPage(record, series: source.series(record, rows[0].path)).html
            }
            // A page has the frontier in any case.
            let ranked =
                options.sort == nil ? ParetoTable(rows, axes: table.axes) : table
            return SetPage(table: ranked, source: source, notes: notes).html
        case .svg: return try picture(of: rows, table, options, source, &notes)
        case .markdown: place = .markdown
        case .text: place = .terminal
        }
        return SectionText(table: table, pareto: options.pareto, place: place, terminal: options.terminal)
            .text
    }

    private static func picture(
        of rows: [Run], _ table: ParetoTable, _ options: ReportOptions, _ source: ReportSource,
        _ notes: inout [String]
    ) throws(Failure) -> String {
        let name = options.chart ?? (options.pareto || rows.count != 1 ? .pareto : .rate)
        let title = "\(table.axes.x.name) against \(table.axes.y.name)"
        if rows.isEmpty {
            return Picture.svg(missing: "there are no runs here", title: options.chart?.rawValue ?? title)
        }
        if name == .pareto {
            let charts = ParetoChart(table).charts
            return charts.isEmpty
                ? Picture.svg(
                    missing: "no run has both \(table.axes.x.name) and \(table.axes.y.name)", title: title)
                : Picture.svg(charts, title: title)
        }
        guard rows.count == 1, rows[0].members.isEmpty else {
            let count = rows.reduce(0) { $0 + $1.runs.count }
            throw Failure(
                thing: "--chart \(name.rawValue)", cause: "is a chart of one run, and there are \(count)",
                remedy: "name one run's directory", exit: .usage)
        }
        guard let record = recordOf(rows[0], source, &notes) else {
            return Picture.svg(missing: "the record cannot be read", title: name.rawValue)
        }
        switch RunCharts(record: record, series: source.series(record, rows[0].path)).chart(name) {
        case .success(var chart):
            // On a page all of this stands about the chart.
            let facts = RunFacts(record: record)
            chart.footer = ["\(facts.name), run \(record.id)", facts.workload, facts.covers]
            return Picture.svg([chart], title: chart.title)
        case .failure(let why): return Picture.svg(missing: why.reason, title: name.rawValue)
        }
    }
}
