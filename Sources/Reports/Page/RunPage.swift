import Analysis

/// The page of one run: its figures with their conditions beside them, its charts, every window.
struct RunPage {
    let record: Record
    let charts: RunCharts
    let facts: RunFacts

    init(_ record: Record, series: Result<RunSeries, Unavailable>) {
        self.record = record
        charts = RunCharts(record: record, series: series)
        facts = RunFacts(record: record)
    }

    var html: String {
        Page.document(
            title: "sustain: " + facts.name, header: header, main: main,
            tool: "Made from the record of run \(record.id), measured by sustain \(record.tool.version).")
    }

    private var header: Markup {
        let label: Markup = record.label.map { ", label <bdi>\($0)</bdi>" } ?? .empty
        return """
            <h1><bdi>\(facts.name)</bdi></h1>
            <p>\(facts.status) \(facts.workload)</p>
            <p class="soft">run <bdi>\(record.id)</bdi>\(label), started \(record.started)</p>

            """
    }

    private var main: Markup {
        let figures: Markup = """
            <div class="pair">
            <div>\(FigureLine.table("The run in figures", facts.headline))</div>
            <aside aria-label="Conditions of these figures">
            \(facts.conditions)</aside>
            </div>

            """
        return Page.section("figures", "Figures", figures) + speed + energy + heat + memory + latency
            + windows
            + machine
    }

    private func figure(_ name: ChartName, _ shown: String, _ notes: Markup) -> Markup {
        Page.figure(
            charts.chart(name), named: shown, id: Markup(stringLiteral: name.rawValue), beside: notes)
    }

    private var speed: Markup {
        let metrics = record.metrics
        var lines = [
            FigureLine(name: "burst", figure: metrics.burst, unit: " tok/s"),
            FigureLine(name: "sustained", figure: metrics.sustained, unit: " tok/s"),
            FigureLine(name: "kept", figure: metrics.retained, unit: " %", scale: 100),
            FigureLine(name: "droop onset", figure: metrics.droopOnsetSeconds, write: Notation.seconds),
        ]
        if let canary = metrics.decodeCanary {
            lines.append(FigureLine(name: "decode canary, kept", figure: canary.kept, unit: " %", scale: 100))
        }
        let cause = metrics.droopCause?.value.map { "<p>Cause: \(facts.text($0))</p>\n" as Markup } ?? .empty
        return Page.section(
            "speed", "Speed", figure(.rate, "Decode rate", FigureLine.list(lines) + cause) + minutes)
    }

    private var minutes: Markup {
        let rows = record.metrics.perMinute.map { minute -> [Markup] in
            let figures = [
                (minute.tokensPerSecond, 1.0), (minute.watts, 1), (minute.joulesPerToken, 1),
                (minute.temperature, 1), (minute.clock, 1e-6),
            ]
            return ["\(minute.minute + 1)"]
                + figures.map { figure, scale in
                    Notation.figure(figure, scale: scale, spread: false).map { "\($0)" }
                        ?? "n/a <small>\(figure.reason ?? "")</small>"
                }
        }
        guard !rows.isEmpty else { return .empty }
        let titles = ["minute", "tok/s", "W", "J/token, gross", "°C", "MHz"]
        return Page.details(
            "Minute by minute, as a table",
            PageTable(
                "Each minute of the sustained part",
                titles.enumerated().map { .init(title: $0.element, isNumber: $0.offset > 0) }, rows
            ).markup)
    }

    private var energy: Markup {
        let metrics = record.metrics
        let idle = [
            FigureLine(name: "idle", figure: metrics.idle.gross.watts, unit: " W"),
            FigureLine(name: "loaded idle", figure: metrics.loadedIdle.gross.watts, unit: " W"),
            FigureLine(name: "decode", figure: metrics.decode.gross.watts, unit: " W"),
        ]
        let each = [
            FigureLine(name: "cycle, gross", figure: metrics.cycle.gross.joulesPerToken, unit: " J/token"),
            FigureLine(name: "decode, gross", figure: metrics.decode.gross.joulesPerToken, unit: " J/token"),
            FigureLine(name: "decode, net", figure: metrics.decode.net.joulesPerToken, unit: " J/token"),
        ]
        return Page.section(
            "energy", "Power and energy",
            figure(.power, "Power by source", facts.coverage + FigureLine.list(idle))
                + figure(.energy, "Energy per token", FigureLine.list(each)))
    }

    private var heat: Markup {
        Page.section(
            "heat", "Temperature and clock",
            figure(.temperature, "Temperature", facts.about(["thermal", "turbo", "governor"]))
                + figure(.clock, "Clock", facts.throttling))
    }

    private var memory: Markup {
        let memory = record.memory
        let left = memory.headroomNowBytes.map {
            FigureLine(name: "left with the model resident", figure: $0, write: Notation.bytes)
        }
        let lines = [
            FigureLine(name: "peak", figure: memory.peakRSSBytes, write: Notation.bytes),
            FigureLine(name: "load cost", figure: memory.loadCostBytes, write: Notation.bytes),
            FigureLine(name: "first step cost", figure: memory.firstStepCostBytes, write: Notation.bytes),
        ]
        let figures = FigureLine.list(lines + [left].compactMap { $0 })
        let notes: Markup =
            "<p>Counted as \(memory.accounting).</p>\n\(facts.memoryPressure)\(figures)\(facts.memoryPoints)"
        return Page.section(
            "memory", "Memory",
            figure(.memory, "Memory over the run", notes)
                + Page.details("Memory at the named points, as a table", facts.memoryTable))
    }

    private var latency: Markup {
        func lines(_ name: String, _ times: Distribution) -> [FigureLine] {
            [("p50", times.p50), ("p90", times.p90), ("p99", times.p99), ("max", times.max)].map {
                FigureLine(name: "\(name), \($0.0)", figure: $0.1, write: Notation.seconds)
            }
        }
        let metrics = record.metrics
        return Page.section(
            "latency", "Latency",
            figure(
                .latency, "Time between tokens",
                FigureLine.list(lines("between tokens", metrics.interTokenLatency)))
                + FigureLine.table(
                    "Time to first token: \(metrics.timeToFirstToken.count) prefills",
                    lines("first token", metrics.timeToFirstToken)))
    }

    private var windows: Markup {
        let block = PhaseBlock(record.metrics).text()
        return Page.section(
            "windows", "Windows",
            PageTable("What each window took", block.grid).markup + Page.list(block.notes))
    }

    private var machine: Markup {
        Page.section(
            "machine", "Machine, engine and sources",
            Page.details("Conditions checked, with what was seen", facts.checks)
                + Page.details("Checklist: what is met, and what is not", facts.checklist)
                + Page.details("Energy and other sources, their state and accuracy", facts.sources)
                + Page.details("Identity of machine, engine and model", facts.identity)
                + Page.details("All facts of the summary", facts.summary))
    }
}
