import Analysis

/// What a page says of a run in words.
struct RunFacts {
    let record: Record

    var name: String { record.modelName.value ?? record.artifact.value?.path ?? "a run without a model" }

    var status: Markup {
        guard let mark = record.mark else { return "<span class=\"mark good\">completed</span>" }
        let why: Markup = record.ending.map { " \($0)." } ?? .empty
        return "<span class=\"mark bad\">\(mark)</span>\(why)"
    }

    var workload: String {
        let shape = record.protocol
        return "\(shape.name): \(shape.promptTokens) prompt + \(shape.generatedTokens) generated tokens, "
            + "\(shape.sampling), \(Notation.seconds(shape.seconds.value)); "
            + "\(record.metrics.wholeCycles) whole cycles"
    }

    /// The figures that people decide from.
    var headline: [FigureLine] {
        let metrics = record.metrics
        return [
            FigureLine(
                name: "decode energy, gross", figure: metrics.decode.gross.joulesPerToken, unit: " J/token"),
            FigureLine(
                name: "decode energy, net", figure: metrics.decode.net.joulesPerToken, unit: " J/token"),
            FigureLine(
                name: "cycle energy, gross", figure: metrics.cycle.gross.joulesPerToken, unit: " J/token"),
            FigureLine(
                name: "prefill energy, gross", figure: metrics.prefill.gross.joulesPerToken, unit: " J/token"),
            FigureLine(name: "sustained", figure: metrics.sustained, unit: " tok/s"),
            FigureLine(name: "burst", figure: metrics.burst, unit: " tok/s"),
            FigureLine(name: "kept", figure: metrics.retained, unit: " %", scale: 100),
            FigureLine(name: "prefill rate", figure: metrics.prefill.tokensPerSecond, unit: " tok/s"),
            FigureLine(name: "first use, energy", figure: metrics.firstUse.joules, unit: " J"),
            FigureLine(name: "first use, time", figure: metrics.firstUse.seconds, write: Notation.seconds),
            FigureLine(
                name: "peak memory of the engine's process", figure: record.memory.peakRSSBytes,
                write: Notation.bytes),
        ]
    }

    /// What stands beside the figures: estimator, coverage, warnings, conditions that do not hold.
    var conditions: Markup {
        let verdicts = record.environment.filter.verdicts
        func named(_ verdict: Condition.Verdict) -> [String] {
            verdicts.filter { $0.verdict == verdict }.map { "\($0.name): \($0.seen)" }
        }
        let (failed, unknown) = (named(.fail), named(.cannotTell))
        var result = coverage
        if record.environment.filter.excluded {
            result += "<p class=\"bad\"><strong>Kept out of medians, frontier and baselines.</strong></p>\n"
        }
        result +=
            "<h3>Conditions</h3>\n<p>\(verdicts.count { $0.verdict == .pass }) of \(verdicts.count) hold.</p>\n"
        if !failed.isEmpty { result += "<p class=\"bad\">Failed:</p>\n" + Page.list(failed) }
        if !unknown.isEmpty { result += "<p>Cannot tell:</p>\n" + Page.list(unknown) }
        result += "<h3>Warnings</h3>\n"
        result += record.warnings.isEmpty ? "<p>none</p>\n" : Page.list(record.warnings)
        return result
    }

    var covers: String {
        "energy covers "
            + (record.energyScope ?? "nothing: \(record.total.unavailable ?? "no energy source")")
    }

    /// What the joules cover, how they were estimated, how far the sensors may be off.
    var coverage: Markup {
        let metrics = record.metrics
        var lines = [covers]
        if let basis = EnergyBasis(record) { lines.append("estimator, decode: \(basis.estimator)") }
        if let accuracy = metrics.decode.gross.sensorAccuracy ?? metrics.idle.gross.sensorAccuracy {
            lines.append("sensor accuracy: \(accuracy)")
        }
        if let rule = record.total.gpuRule { lines.append("GPUs: \(rule)") }
        lines += record.total.excludes.map { "left out: \($0.id): \($0.reason)" }
        return "<h3>Energy</h3>\n" + Page.list(lines)
    }

    /// Single conditions by name.
    func about(_ names: [String]) -> Markup {
        let found = record.environment.filter.verdicts.filter { names.contains($0.name) }
        let lines = found.map { "\($0.name): \($0.verdict.rawValue) (\($0.seen))" }
        return "<h3>Conditions</h3>\n"
            + (lines.isEmpty ? "<p>none of them was checked</p>\n" : Page.list(lines))
    }

    var throttling: Markup {
        let metrics = record.metrics
        let cause =
            metrics.droopCause.map { cause in
                cause.value.map(text) ?? "none found: \(cause.reason ?? "no reason given")"
            } ?? "not looked for by the version that made this record"
        return "<h3>Cause of a droop</h3>\n<p>\(cause)</p>\n"
    }

    func text(_ cause: DroopCause) -> String {
        cause.kind.rawValue + (cause.evidence.isEmpty ? "" : ": " + cause.evidence.joined(separator: "; "))
    }

    /// The points of the run by name, in its order.
    private var points: [(name: String, bytes: [String: UInt64])] {
        let order = ["before_load", "after_load", "after_first_token", "at_end", "after_unload"]
        let points = record.memory.points
        let names = order.filter { points[$0] != nil } + points.keys.filter { !order.contains($0) }.sorted()
        return names.map { ($0.replacing("_", with: " "), points[$0, default: [:]]) }
    }

    var memoryPoints: Markup {
        // The tightest moment is the machine's: nothing of the process but its anonymous memory was read then.
        let lines = points.filter { $0.name != "tightest" }.map { point in
            "\(point.name): " + (point.bytes["rss"].map { Notation.bytes(Double($0)) } ?? "not read")
        }
        return "<h3>Resident at the named points</h3>\n"
            + (lines.isEmpty ? "<p>no memory was read</p>\n" : Page.list(lines))
    }

    /// Nothing for a record of a version that did not look.
    var memoryPressure: Markup {
        guard let pressure = record.memory.pressure else { return "" }
        let worst = pressure.worst.value?.rawValue ?? "unknown"
        let why = pressure.cause ?? pressure.worst.reason
        return "<p>Pressure at worst: \(worst)\(why.map { ": " + $0 } ?? "").</p>\n"
    }

    /// All that was read at the points, the engine's own account of it too.
    var memoryTable: Markup {
        let rows = points.flatMap { point in
            point.bytes.sorted { $0.key < $1.key }.map { entry -> [Markup] in
                [
                    "\(point.name)", "\(entry.key.replacing("_", with: " "))",
                    "\(Notation.bytes(Double(entry.value)))",
                ]
            }
        }
        return PageTable(
            "Memory at the named points",
            [.init(title: "point"), .init(title: "what"), .init(title: "size", isNumber: true)], rows
        ).markup
    }
}

extension RunFacts {
    /// The checklist that a number is held against before it is quoted.
    var checklist: Markup {
        PageTable(
            "Measurement checklist", [.init(title: "item"), .init(title: "status"), .init(title: "seen")],
            Checklist(record: record).answers.map {
                ["\($0.item.text)", "\($0.answer.status.rawValue)", "\($0.answer.seen)"]
            }
        ).markup
    }

    var checks: Markup {
        PageTable(
            "Conditions of the run, before and after merged",
            [.init(title: "condition"), .init(title: "verdict"), .init(title: "seen")],
            record.environment.filter.verdicts.map {
                ["\($0.name)", "\($0.verdict.rawValue)", "\($0.seen)"]
            }
        ).markup
    }

    var sources: Markup {
        let titles = ["source", "state", "read through", "renewed every", "sensor accuracy", "why"]
        return PageTable(
            "Sources of the run", titles.map { .init(title: $0) },
            record.sources.map { source in
                let accuracy = source.sensorAccuracy.map {
                    $0.value.map { "\($0.figure) (\($0.source))" } ?? $0.reason ?? ""
                }
                let why = [source.reason, source.remedy].compactMap(\.self).joined(separator: ": ")
                return [
                    "\(source.id)", "\(source.status.rawValue)", "\(source.interface ?? "")",
                    "\(source.updatePeriodSeconds.number.map(Notation.seconds) ?? "")", "\(accuracy ?? "")",
                    "\(why)",
                ]
            }
        ).markup
    }

    var identity: Markup {
        var rows: [(String, String)] = [
            (
                "sustain",
                "\(record.tool.version), commit \(record.tool.commit), \(record.tool.buildType) build, \(record.tool.compiler)"
            )
        ]
        if let engine = record.engine.value {
            rows += [
                ("engine", "\(engine.kind) \(engine.build)"), ("engine build", shown(engine.buildType)),
                ("engine library, SHA-256", shown(engine.librarySHA256)),
                ("parameters", engine.parameters.text),
                ("backends", engine.backends.joined(separator: ", ")),
                ("tokens are", engine.tokenCounts),
            ]
        }
        if let artifact = record.artifact.value {
            rows += [
                ("model file", artifact.path), ("size", "\(artifact.sizeBytes) bytes"),
                ("SHA-256", shown(artifact.sha256)),
                ("quantization", shown(artifact.quantization)), ("weights", artifact.weights ?? "not told"),
            ]
        }
        rows += record.environment.identity.sorted { $0.key < $1.key }.map {
            ($0.key.replacing("_", with: " "), shown($0.value))
        }
        return PageTable(
            "What was measured, on what, with what", [.init(title: "what"), .init(title: "value")],
            rows.map { ["\($0.0)", "\($0.1)"] }
        ).markup
    }

    private func shown(_ value: Maybe<String>) -> String {
        value.value ?? "unavailable: \(value.reason ?? "no reason given")"
    }

    /// The lines that the terminal has below its table.
    var summary: Markup {
        var name = ""
        let rows = SummaryFacts(record: record).lines.map { fact -> [Markup] in
            if !fact.name.isEmpty { name = fact.name }
            return ["\(name)", "\(fact.text)"]
        }
        return PageTable(
            "The run's summary", [.init(title: "fact"), .init(title: "what")], rows
        ).markup
    }
}
