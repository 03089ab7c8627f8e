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
}

/// What `sustain report` was asked for.
public struct ReportOptions: Sendable {
    /// Where to look for records (`Store.find`).
    public var directories: [String]
    /// Rank decode J/token against sustained tok/s.
    public var pareto: Bool
    public var format: ReportFormat
    /// A column's title or export name; a "-" before it turns the order round. nil: by run id.
    public var sort: String?
    /// Only runs whose label contains this text, in upper or lower case.
    public var label: String?
    /// Which chart `svg` draws; nil for the frontier of several runs and the rolling rate of one.
    public var chart: ChartName?

    public init(
        directories: [String] = ["reports"], pareto: Bool = false, format: ReportFormat = .markdown,
        sort: String? = nil, label: String? = nil, chart: ChartName? = nil
    ) {
        self.directories = directories
        self.pareto = pareto
        self.format = format
        self.sort = sort
        self.label = label
        self.chart = chart
    }
}

/// The report over a store's runs.
public enum Report {
    /// What a run did over time, for its charts: read from the trace beside the record at `path`.
    public typealias Series = (_ record: Record, _ path: String) -> Result<RunSeries, Unavailable>

    /// The result for stdout, and notes for stderr: files that hold no record, what a filter left out.
    ///
    /// - Parameter series: asked by `html` and `svg` where they show a single run.
    /// - Throws: a `Failure` of exit code 2 where `sort` names no column, or a chart of one run is asked for
    ///   several.
    public static func render(
        _ options: ReportOptions, _ stored: [Stored],
        series: Series = { _, _ in .failure(Unavailable("the trace was not read")) }
    ) throws(Failure) -> (text: String, notes: [String]) {
        var notes: [String] = []
        var runs: [(record: Record, path: String)] = []
        for entry in stored {
            switch entry {
            case .record(let record, let path): runs.append((record, path))
            case .problem(let path, let reason):
                notes.append("\(path.escapedForDisplay): \(reason.escapedForDisplay)")
            }
        }
        let all = runs.count
        if let label = options.label?.lowercased(), !label.isEmpty {
            runs = runs.filter { $0.record.label?.lowercased().contains(label) ?? false }
            if runs.count < all { notes.append("\(all - runs.count) of \(all) runs left out by --label") }
        }
        if all == 0 {
            let places = options.directories.map(\.escapedForDisplay).joined(separator: ", ")
            notes.append("no runs in \(places): `sustain run --model FILE` makes one")
        }
        if let name = options.sort { runs = try RunOrder(name, for: runs.map(\.record)).sorted(runs) }
        return (try text(of: runs, options, notes: notes, series), notes)
    }

    private static func text(
        of runs: [(record: Record, path: String)], _ options: ReportOptions, notes: [String], _ series: Series
    ) throws(Failure) -> String {
        let place: Place
        switch options.format {
        case .csv, .json, .jsonl: return try Export(runs, pareto: options.pareto).text(options.format)
        case .html:
            if runs.count == 1, let run = runs.first {
                return RunPage(run.record, series: series(run.record, run.path)).html
            }
            return SetPage(runs: runs, sorted: options.sort == nil, notes: notes).html
        case .svg: return try picture(of: runs, options, series)
        case .markdown: place = .markdown
        case .text: place = .terminal
        }
        if runs.isEmpty { return "" }
        if options.pareto { return ParetoTable(runs, sorted: options.sort == nil).text(place) }
        let table = RunTable(runs)
        let notes = table.notes(place).map(place.note).joined()
        return place.grid(table.grid(place)) + (notes.isEmpty ? "" : "\n" + notes)
    }
    private static func picture(
        of runs: [(record: Record, path: String)], _ options: ReportOptions, _ series: Series
    ) throws(Failure) -> String {
        let name = options.chart ?? (options.pareto || runs.count != 1 ? .pareto : .rate)
        if name == .pareto {
            let title = "Energy against speed"
            let charts = ParetoChart(ParetoTable(runs)).charts
            return charts.isEmpty
                ? Picture.svg(
                    missing: "no run has both decode J/token and sustained tok/s", title: title)
                : Picture.svg(charts, title: title)
        }
        guard runs.count == 1, let run = runs.first else {
            throw Failure(
                thing: "--chart \(name.rawValue)",
                cause: "is a chart of one run, and there are \(runs.count)",
                remedy: "name one run's directory", exit: .usage)
        }
        switch RunCharts(record: run.record, series: series(run.record, run.path)).chart(name) {
        case .success(var chart):
            // On a page all of this stands about the chart.
            let facts = RunFacts(record: run.record)
            chart.footer = ["\(facts.name), run \(run.record.id)", facts.workload, facts.covers]
            return Picture.svg([chart], title: chart.title)
        case .failure(let why): return Picture.svg(missing: why.reason, title: name.rawValue)
        }
    }
}
