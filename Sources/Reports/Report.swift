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

    public init(
        directories: [String] = ["reports"], pareto: Bool = false, format: ReportFormat = .markdown,
        sort: String? = nil, label: String? = nil
    ) {
        self.directories = directories
        self.pareto = pareto
        self.format = format
        self.sort = sort
        self.label = label
    }
}

/// The report over a store's runs.
public enum Report {
    /// The result for stdout, and notes for stderr: files that hold no record, what a filter left out.
    ///
    /// - Throws: a `Failure` of exit code 2 where `sort` names no column.
    public static func render(
        _ options: ReportOptions, _ stored: [Stored]
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
        return (try text(of: runs, options), notes)
    }

    private static func text(
        of runs: [(record: Record, path: String)], _ options: ReportOptions
    ) throws(Failure) -> String {
        let place: Place
        switch options.format {
        case .csv, .json, .jsonl: return try Export(runs, pareto: options.pareto).text(options.format)
        case .markdown: place = .markdown
        case .text: place = .terminal
        }
        if runs.isEmpty { return "" }
        if options.pareto { return ParetoTable(runs, sorted: options.sort == nil).text(place) }
        let table = RunTable(runs)
        let notes = table.notes(place).map(place.note).joined()
        return place.grid(table.grid(place)) + (notes.isEmpty ? "" : "\n" + notes)
    }
}
