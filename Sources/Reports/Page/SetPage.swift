import Analysis

/// The page of several runs: for each setting within which runs may be ranked its table and its frontier, then
/// what stands behind each run's figures.
struct SetPage {
    private static let mostDetails = 200
    private static let mostCurves = 6

    let table: ParetoTable
    let source: ReportSource
    let notes: [String]

    private let nothing = Page.section("figures", "Runs", "<p>There are no runs here.</p>\n")

    /// The rows: medians of groups, and runs by themselves.
    private var rows: [Run] { table.sections.flatMap(\.runs) }
    /// The measured runs, as far as their records can be had.
    private var records: [Record] {
        rows.flatMap(\.runs).prefix(Self.mostDetails).compactMap { run in
            if case .success(let record) = source.record(run) { record } else { nil }
        }
    }

    var html: String {
        let pareto = ParetoChart(table)
        let all = rows.flatMap(\.runs)
        let marked = all.count { $0.digest.mark != nil }
        let medians = rows.count < all.count ? " in \(rows.count) rows: medians of groups" : ""
        let header: Markup = """
            <h1>\(all.count) runs compared</h1>
            <p>\(all.count - marked) completed and counted\(medians), \(marked) marked: failed, interrupted or excluded \
            runs stay rows and are on no frontier.</p>

            """
        let sections = table.sections.enumerated().map { number, section -> Markup in
            Page.section(
                number == 0 ? "figures" : "setting\(number)", section.setting.text,
                rows(section, pareto) + frontiers(section, number, pareto) + orders(section))
        }.joined()
        let problems =
            notes.isEmpty ? .empty : Page.section("left-out", "Left out", Page.list(notes))
        let records = records
        return Page.document(
            isWide: true, title: "sustain: \(all.count) runs", header: header,
            main: (all.isEmpty
                ? nothing : sections + curves(records) + details(records, of: all.count, pareto))
                + problems,
            tool: "Made by sustain from \(all.count) records.")
    }

    /// What names a row stands first: the rest of a wide table may have to be scrolled to.
    private static let first = [ParetoTable.column, "id", "label", "status", "runs"]

    private func rows(_ section: ParetoTable.Section, _ pareto: ParetoChart) -> Markup {
        var table = RunTable(
            section.runs, rows: ParetoTable.rows(section), extra: [ParetoTable.mark(section)])
        let number = Column(title: "#", key: "number", right: false) { row in
            .text(pareto.numbers[row.record.id].map(String.init) ?? "")
        }
        let leading = Self.first.compactMap { key in table.columns.first { $0.key == key } }
        table.columns = [number] + leading + table.columns.filter { !Self.first.contains($0.key) }
        return PageTable("Runs of this setting", table.grid(.terminal)).markup
            + Page.list(table.notes(.terminal))
    }

    private func frontiers(_ section: ParetoTable.Section, _ number: Int, _ pareto: ParetoChart) -> Markup {
        let bases = section.bases.map(\.basis.text).filter { !$0.isEmpty }
        let notes = Page.list(table.summary(section, .terminal) + bases)
        let charts = pareto.charts(of: section)
        guard !charts.isEmpty else { return notes }
        return charts.enumerated().map { index, chart in
            Page.figure(.success(chart), named: "Frontier", id: "pareto\(number)x\(index)", beside: notes)
        }.joined()
    }

    /// Burst, sustained and J/token side by side, and where they contradict one another.
    private func orders(_ section: ParetoTable.Section) -> Markup {
        let orders = RunOrders(section.runs)
        guard section.setting.isRanked, orders.isWorthShowing else { return .empty }
        return "<h3>Three orders, best first</h3>\n"
            + PageTable("Orders by burst, sustained and J/token", orders.grid(.terminal)).markup
            + Page.list(orders.notes(.terminal))
    }

    /// The rolling rates of the first runs over one another: who keeps the speed.
    private func curves(_ records: [Record]) -> Markup {
        let shown = records.filter { !$0.metrics.rolling.isEmpty }.prefix(Self.mostCurves)
        guard shown.count > 1 else { return .empty }
        let lines = shown.map { record in
            Course(
                id: record.shortID,
                record.metrics.rolling.map { .init($0.seconds, $0.depthAdjusted ?? $0.tokensPerSecond) }
            ).thinned(buckets: 200)
        }
        let values = lines.flatMap { Array($0.points) }
        var chart = Chart(
            title: "Decode rates over the sustained part",
            description: "Rolling decode rates of runs " + lines.map(\.id).joined(separator: ", "),
            x: .time(0...(values.map(\.seconds).max() ?? 1), since: RunCharts.sustainedOrigin),
            y: .values("tok/s, rolling", RunCharts.range(values.map(\.value))))
        for (number, pair) in zip(shown, lines).enumerated() {
            let name = "\(pair.0.shortID) \(pair.0.label ?? pair.0.modelName.value ?? "")"
            chart.add(line: pair.1.chartPoints, Chart.Look(number, dashed: number % 2 == 1), name)
        }
        let left = records.count - shown.count
        let notes = Page.list(
            ["Depth-adjusted where the engine stamps its tokens."]
                + (left > 0 ? ["\(left) more runs are not drawn: name fewer to see them."] : []))
        return Page.section(
            "rates", "Speed over time",
            Page.figure(.success(chart), named: "Decode rates", id: "rates", beside: notes))
    }

    private func details(_ records: [Record], of count: Int, _ pareto: ParetoChart) -> Markup {
        let shown = records.map { record -> Markup in
            let facts = RunFacts(record: record)
            let number = pareto.numbers[record.id].map { "\($0) " } ?? ""
            return Page.details(
                "\(number)\(facts.name), run \(record.shortID)",
                """
                <p>\(facts.status) \(facts.workload)</p>
                <div class="pair">
                <div>\(FigureLine.table("Run \(record.id)", facts.headline))</div>
                <aside>
                \(facts.conditions)</aside>
                </div>

                """)
        }.joined()
        let left = count - records.count
        let more: Markup =
            left > 0 ? "<p>\(left) more runs have rows above and no details here.</p>\n" : .empty
        return Page.section("runs", "Each run", shown + more)
    }
}
