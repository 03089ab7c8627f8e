import Analysis
import FoundationEssentials
import Testing

@testable import Reports

/// Pages and pictures: what stands on them, and that nothing from outside acts there.
@Suite struct PageTests {
    private static let noTrace = Unavailable("no trace.jsonl beside the record")

    private func page(
        _ records: [Record], series: Result<RunSeries, Unavailable> = .failure(noTrace)
    ) throws -> String {
        try Report.render(
            ReportOptions(format: .html), records.map { .record($0, path: "reports/x/run.json") },
            source: ReportSource(series: { _, _ in series })
        ).text
    }

    private func picture(_ records: [Record], _ chart: ChartName?) throws -> String {
        try Report.render(
            ReportOptions(format: .svg, chart: chart), records.map { .record($0, path: "x") },
            source: ReportSource(series: { _, _ in .success(SeriesBuilder.series()) })
        ).text
    }

    private var several: [Record] {
        [
            RecordBuilder(id: "20261130T005600Z-a-aaaaaa", label: "A"),
            RecordBuilder(id: "20261130T005600Z-b-bbbbbb", label: "B", joulesPerToken: 0.30, sustained: 110),
            RecordBuilder(id: "20261130T005600Z-c-cccccc", label: "C", joulesPerToken: 0.42, sustained: 120),
            RecordBuilder(id: "20261130T005600Z-d-dddddd", label: "D", status: .engineFailed),
        ].enumerated().map { number, builder in
            var builder = builder
            builder.parameters["threads"] = .integer(Int64(number + 1))
            return SeriesBuilder.record(builder)
        }
    }

    @Test func golden() throws {
        let record = SeriesBuilder.record()
        var drooping = record
        drooping.metrics.droopOnsetSeconds = Figure(310, .bounds(low: 280, high: 355), method: "change-point")
        drooping.metrics.droopCause = .known(
            DroopCause(kind: .throttling, evidence: ["clock 4100 to 3400 MHz"]))
        try Golden.expect(page([drooping], series: .success(SeriesBuilder.series())), "pages/run.html")
        let bare = RecordBuilder(joulesPerToken: nil, sustained: nil, failedCheck: "other_load").build()
        try Golden.expect(page([bare]), "pages/without-energy-and-trace.html")
        try Golden.expect(page(several), "pages/set.html")
        let name = HostileTextTests.names.joined(separator: " ")
        let worst = hostile(name)
        try Golden.expect(
            page([worst], series: .success(SeriesBuilder.series(id: worst.id, sources: [name]))),
            "pages/hostile.html")
        try Golden.expect(page([worst] + several), "pages/hostile-set.html")
        try Golden.expect(picture(several, nil), "pages/pareto.svg")
        try Golden.expect(picture([record], .power), "pages/power.svg")
    }

    /// One file: a browser is asked for nothing else, and needs no script.
    @Test func selfContained() throws {
        let all = try [
            page([SeriesBuilder.record()], series: .success(SeriesBuilder.series())), page(several),
            picture(several, nil),
        ]
        for text in all {
            for foreign in ["<script", "src=", "@import", "url(", "<link", "<img", "javascript:"] {
                #expect(!text.contains(foreign), "\(foreign)")
            }
            let addresses = text.split(separator: "http").dropFirst()
            #expect(addresses.allSatisfy { $0.hasPrefix("://www.w3.org/2000/svg") || $0.hasPrefix("-equiv") })
        }
    }

    @Test func whatIsMissingSaysWhyInItsPlace() throws {
        let text = try page([RecordBuilder().build()])
        for name in ["Memory over the run", "Time between tokens"] {
            #expect(text.contains("<strong>\(name): unavailable:</strong> \(Self.noTrace.reason)"))
        }
        // The record's own minutes stand in for the trace's power, and say so.
        #expect(text.contains("Power by minute"))
        let bare = try page([RecordBuilder(joulesPerToken: nil, sustained: nil).build()])
        #expect(bare.contains("unavailable</span>"))
        #expect(bare.contains(RecordBuilder.noEnergy))
        // A trace would not have shown what the machine has not: the record's own reason stands there.
        var minutes = RecordBuilder(joulesPerToken: nil).build()
        minutes.metrics.perMinute[0].watts = .unavailable(RecordBuilder.noEnergy)
        let reason = "<strong>Power by source: unavailable:</strong> \(RecordBuilder.noEnergy)"
        #expect(try page([minutes]).contains(reason))
        #expect(!bare.contains("NaN") && !bare.contains(">nan<") && !bare.contains("inf"))
    }

    @Test func conditionsWarningsAndEstimatorStandOnThePage() throws {
        var record = SeriesBuilder.record(RecordBuilder(failedCheck: "other_load"))
        record.warnings = ["a warning with <b> and \"quotes\""]
        let text = try page([record])
        #expect(text.contains("a warning with &lt;b&gt; and &quot;quotes&quot;"))
        #expect(text.contains("other_load: 0.80 of a core"))
        #expect(text.contains("Kept out of medians, frontier and baselines."))
        #expect(text.contains("estimator, decode:"))
        #expect(text.contains("left out: rapl:package-0/core: inside package-0"))
        #expect(text.contains("covers package + dram"))
    }

    /// What memory was left is on the page and in the summary; a record that does not tell says nothing of it.
    @Test func whatMemoryWasLeft() throws {
        func summary(_ record: Record) -> String? {
            SummaryFacts(record: record).lines.map(\.text).first { $0.contains("; counted as") }
        }
        var record = SeriesBuilder.record(RecordBuilder())
        #expect(try !page([record]).contains("Pressure at worst"))
        #expect(summary(record)?.hasSuffix("; counted as \(record.memory.accounting)") == true)
        record.memory.headroomNowBytes = .once(300 * 1_048_576, method: "x")
        record.memory.pressure = MemoryPressure(worst: .known(.high), cause: "headroom <300.0> MiB")
        record.memory.points["tightest"] = ["available": 1 << 20]
        let text = try page([record])
        #expect(text.contains("<p>Pressure at worst: high: headroom &lt;300.0&gt; MiB.</p>"))
        #expect(text.contains("left with the model resident"))
        #expect(!text.contains("tightest: not read"))
        #expect(summary(record)?.hasSuffix("; 300.00 MiB left; pressure high (headroom <300.0> MiB)") == true)
        record.memory.pressure = MemoryPressure(worst: .unavailable("engine runs elsewhere"))
        #expect(try page([record]).contains("<p>Pressure at worst: unknown: engine runs elsewhere.</p>"))
    }

    @Test func everyRunOfASetHasARowAndAPlace() throws {
        let text = try page(several)
        for id in ["aaaaaa", "bbbbbb", "cccccc", "dddddd"] { #expect(text.contains("run \(id)</summary>")) }
        #expect(text.contains("engine failed"))
        #expect(text.contains("3 runs, 2 on the frontier"))
    }

    @Test(arguments: HostileTextTests.names)
    func nothingFromOutsideIsMarkup(name: String) throws {
        let plain = hostile("name")
        let record = hostile(name)
        let series = SeriesBuilder.series(id: record.id, sources: [name])
        let usual = SeriesBuilder.series(sources: ["name"])
        let pages: [(String, String)] = [
            (try page([record], series: .success(series)), try page([plain], series: .success(usual))),
            (try page([record, several[0]]), try page([plain, several[0]])),
        ]
        for (text, expected) in pages {
            // Layout may leave a label out, so the tags of charts are counted by kind only.
            #expect(Set(tags(text)) == Set(tags(expected)))
            #expect(count(tags(text)) == count(tags(expected)))
            #expect(text.split(separator: "\n").allSatisfy { $0.escapedForDisplay == $0 })
            #expect(!text.contains("onerror=") || text.contains("onerror=&quot;"))
        }
        if !name.isEmpty { #expect(pages[0].0.contains(CellText.markup(name))) }
        for chart in ChartName.allCases where chart != .pareto {
            let text = try Report.render(
                ReportOptions(format: .svg, chart: chart), [.record(record, path: "x")],
                source: ReportSource(series: { _, _ in .success(series) })
            ).text
            #expect(Set(tags(text)).isSubset(of: Self.svgTags))
        }
    }

    @Test func aChartOfOneRunIsNotOneOfSeveral() throws {
        let failure = #expect(throws: Failure.self) { try picture(several, .power) }
        #expect(failure?.exit == .usage)
        #expect(try picture(several, nil).contains("on the frontier"))
        #expect(try picture([SeriesBuilder.record()], nil).contains("Decode rate over the sustained part"))
        let none = try picture([RecordBuilder(joulesPerToken: nil).build()], .pareto)
        #expect(none.contains("unavailable"))
    }

    @Test func withoutRunsThereIsStillAPage() throws {
        let stored = [StoredRun.problem(path: "x/run.json", reason: "broken <JSON>")]
        let text = try Report.render(ReportOptions(format: .html), stored).text
        #expect(text.contains("There are no runs here.") && text.contains("id=\"figures\""))
        #expect(text.contains("x/run.json: broken &lt;JSON&gt;"))
    }

    /// A page of a run of 600 s is held well below a megabyte, whatever its trace holds.
    @Test func sizeIsBounded() throws {
        var record = SeriesBuilder.record()
        func noise(_ number: Int) -> Double { Double(number * 7919 % 1000) }
        record.metrics.rolling = (0..<7200).map { number in
            RollingPoint(seconds: Double(number), tokensPerSecond: 100 + noise(number) / 100)
        }
        var series = SeriesBuilder.series()
        let cells = (0..<3000).map { number in
            PowerSeries.Cell(begin: Double(number), end: Double(number + 1), watts: [noise(number), 3])
        }
        series.power = .success(PowerSeries(sources: ["a", "b"], step: 1, stretches: [cells]))
        #expect(try page([record], series: .success(series)).utf8.count < 600_000)
    }

    private static let svgTags: Set<String> = [
        "svg", "title", "desc", "style", "g", "rect", "path", "polyline", "polygon", "circle", "text",
    ]

    private func hostile(_ name: String) -> Record {
        var record = SeriesBuilder.record(
            RecordBuilder(
                id: "20261130T005600Z-\(name)-a1b2c3", label: name, model: name, path: "/models/" + name,
                backends: [name], includes: [name], identity: ["cpu_model": .known(name)]))
        record.warnings = [name]
        record.total.excludes = [.init(id: name, reason: name)]
        record.metrics.decode.net = .unavailable(name)
        record.environment.filter.verdicts = [Condition(name, .cannotTell, seen: name)]
        return record
    }

    /// The names of all start tags, in order.
    private func tags(_ text: String) -> [String] {
        text.split(separator: "<").dropFirst().filter { !$0.hasPrefix("/") }
            .map { String($0.prefix { $0.isLetter || $0.isNumber || $0 == "!" }) }
    }

    /// How often each tag that is none of a chart stands on a page.
    private func count(_ tags: [String]) -> [String: Int] {
        let own = tags.filter { !Self.svgTags.contains($0) }
        return Dictionary(own.map { ($0, 1) }, uniquingKeysWith: +)
    }
}
