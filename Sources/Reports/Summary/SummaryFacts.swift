import Analysis

/// One line of a summary: a name, a text that is safe for a terminal, and how it should strike the eye.
struct Fact {
    enum Tone { case plain, bad, warning }

    var name: String
    var text: String
    var tone: Tone = .plain

    init(_ name: String, _ text: String, _ tone: Tone = .plain) {
        self.name = name
        self.text = text
        self.tone = tone
    }
}

/// What stands below the windows of a summary.
struct SummaryFacts {
    var record: Record

    /// The facts in the order of reading; one without a name goes on with the one before.
    var lines: [Fact] {
        let rates =
            [
                Fact("first token", distribution(record.metrics.timeToFirstToken)),
                Fact("inter-token", distribution(record.metrics.interTokenLatency)),
            ] + EnduranceFacts(record: record).lines
        let costs =
            [
                Fact("first use", firstUse),
                Fact("memory", memoryPoints),
                Fact("", memoryPeaks),
            ] + estimate + [
                Fact("overhead", overhead),
                Fact("energy", energy),
            ]
        let conduct = sources + [Fact("protocol", workload)] + conditions + warnings
        return rates + coldAndWarm + DepthFacts(record: record).lines + costs + conduct + [
            Fact("run", run), outcome,
        ]
    }

    private func distribution(_ times: Distribution) -> String {
        let quantiles = [("p50", times.p50), ("p90", times.p90), ("p99", times.p99), ("max", times.max)]
        let shown = list(quantiles.map { Item($0, $1) { Notation.seconds($0) } })
        return times.count == 0 ? shown : shown + " of \(Notation.count(UInt64(clamping: times.count)))"
    }

    /// Only where the protocol has them.
    private var coldAndWarm: [Fact] {
        guard let runs = record.metrics.coldAndWarm else { return [] }
        let (median, cold) = (runs.medianWarmDecode, runs.cold)
        func rates(_ rates: ColdAndWarm.Rates) -> String {
            let parts = [rates.prefillTokensPerSecond, rates.decodeTokensPerSecond]
            return parts.map { Notation.figure($0) ?? missing($0.reason ?? "") }.joined(separator: " and ")
        }
        return [
            Fact(
                "pb-random",
                list([Item("median of warm decodes", median, Notation.figure(median), " t/s")])
                    + "; prefill and decode cold \(rates(cold)), warm "
                    + runs.warm.map(rates).joined(separator: ", ")
                    + "; not a controlled environment")
        ]
    }

    private var firstUse: String {
        let use = record.metrics.firstUse
        return "cold load + first token + one cycle: "
            + list([
                Item("time", use.seconds) { Notation.seconds($0) },
                Item("energy", use.joules, Notation.figure(use.joules), " J"),
            ])
    }

    private var memoryPoints: String {
        let order = ["before_load", "after_load", "after_first_token", "at_end", "after_unload"]
        let points = record.memory.points
        let named = order.filter { points[$0] != nil } + points.keys.filter { !order.contains($0) }.sorted()
        let parts = named.compactMap { name -> String? in
            guard let rss = points[name]?["rss"] else { return nil }
            return safe(name.replacing("_", with: " ")) + " " + Notation.bytes(Double(rss))
        }
        return parts.isEmpty ? missing("no memory was read") : parts.joined(separator: ", ")
    }

    private var memoryPeaks: String {
        let memory = record.memory
        let parts = [
            ("peak", memory.peakRSSBytes), ("anonymous", memory.peakAnonymousBytes),
            ("file-mapped", memory.peakFileMappedBytes), ("load cost", memory.loadCostBytes),
            ("first step cost", memory.firstStepCostBytes),
        ]
        return list(parts.map { Item($0, $1) { Notation.bytes($0) } })
            + "; counted as \(safe(memory.accounting))" + memoryLeft
    }

    /// What was expected of it before the load, and where that was from.
    private var estimate: [Fact] {
        guard let estimate = record.memory.estimatedPeak else { return [] }
        let origin =
            switch estimate.origin {
            case .measured: "the peak of run \(safe(estimate.run ?? "unknown"))"
            case .learnt:
                "learnt from \(Notation.count(UInt64(clamping: estimate.runs ?? 0))) runs on this build"
            case .reserve: "with reserves: no run on this build was known"
            }
        let peak = record.memory.peakRSSBytes.number.map { " for a peak of \(Notation.bytes($0))" } ?? ""
        let over = estimate.overMeasured.number.map {
            " (\($0 < 0 ? "-" : "+")\(fixed(abs($0) * 100, decimals: 1)) %)"
        }
        return [
            Fact("", "estimated \(Notation.bytes(Double(estimate.bytes)))\(peak)\(over ?? ""), \(origin)")
        ]
    }

    private var memoryLeft: String {
        let memory = record.memory
        var text = memory.headroomNowBytes?.number.map { "; \(Notation.bytes($0)) left" } ?? ""
        text += memory.gpuHeadroomNowBytes?.number.map { ", \(Notation.bytes($0)) on the GPU" } ?? ""
        if let worst = memory.pressure?.worst.value, worst != .nominal {
            text += "; pressure \(worst.rawValue)" + (memory.pressure?.cause.map { " (\(safe($0)))" } ?? "")
        }
        return text
    }

    private var overhead: String {
        guard let overhead = record.overhead.value else { return missing(record.overhead.reason ?? "") }
        func share(_ value: Double) -> String { Notation.plain(value * 100, decimals: 3) + " %" }
        return
            "sampler \(share(overhead.samplerCoreShare)) of a core, sustain \(share(overhead.processCoreShare)); "
            + "\(Notation.count(overhead.ticks)) ticks, \(Notation.count(overhead.missedDeadlines)) late, "
            + "\(Notation.count(overhead.lostTicks)) lost, "
            + "worst jitter \(Notation.seconds(overhead.worstJitterSeconds)); memory "
            + (overhead.peakRSSBytes.value.map { Notation.bytes(Double($0)) }
                ?? missing(overhead.peakRSSBytes.reason ?? ""))
    }

    private var energy: String {
        let covered =
            record.energyScope.map { "covers " + safe($0) }
            ?? missing(record.total.unavailable ?? "no energy source")
        let rule = record.total.gpuRule.map { "; GPUs: " + safe($0) } ?? ""
        let left = record.total.excludes.map { "\(safe($0.id)) (\(safe($0.reason)))" }
        return covered + rule + (left.isEmpty ? "" : "; left out: " + left.joined(separator: ", "))
    }

    /// The sources that are not well, those of one state, reason and remedy together.
    private var sources: [Fact] {
        var order: [String] = []
        var ids: [String: [String]] = [:]
        for source in record.sources where source.status != .ok {
            let why = [source.status.rawValue, source.reason, source.remedy].compactMap(\.self).joined(
                separator: ": ")
            if ids[why] == nil { order.append(why) }
            ids[why, default: []].append(safe(source.id))
        }
        let well = record.sources.count { $0.status == .ok }
        let first = Fact("sources", "\(well) of \(record.sources.count) ok")
        return [first]
            + order.map { Fact("", "\(ids[$0, default: []].joined(separator: ", ")): \(safe($0))") }
    }

    private var workload: String {
        let shape = record.protocol
        let metrics = record.metrics
        let cut = metrics.truncated > 0 ? ", \(metrics.truncated) truncated" : ""
        return
            "\(safe(shape.name)): \(shape.promptTokens) prompt + \(shape.generatedTokens) generated tokens, "
            + "\(safe(shape.sampling)), seed \(shape.seed), context \(shape.contextTokens), "
            + "\(Notation.seconds(shape.seconds.value))\(variations(shape)); \(metrics.wholeCycles) whole cycles\(cut); busy "
            + (percent(metrics.busyShare).map { $0 + " %" } ?? missing(metrics.busyShare.reason ?? ""))
            + " of the time"
    }

    /// What sets the workload apart from the usual one.
    private func variations(_ shape: Workload) -> String {
        let parts = [
            shape.prefillBatchTokens.map { "prompt taken \($0) token at a time" },
            shape.fixedPrompt == true ? "one prompt for all generations" : nil,
            shape.variedGap.map { "gap between cycles varied by 0 to \(Notation.seconds($0.value))" },
        ]
        return parts.compactMap(\.self).map { ", " + $0 }.joined()
    }

    private var conditions: [Fact] {
        let verdicts = record.environment.filter.verdicts
        func named(_ verdict: Condition.Verdict) -> String {
            FactText.grouped(
                verdicts.filter { $0.verdict == verdict }.map { (name: $0.name, text: $0.seen) })
        }
        let (failed, unknown) = (named(.fail), named(.cannotTell))
        let passed = verdicts.count { $0.verdict == .pass }
        var lines = [Fact("conditions", "\(passed) of \(verdicts.count) passed")]
        if !failed.isEmpty { lines.append(Fact("", "failed: " + failed, .bad)) }
        if !unknown.isEmpty { lines.append(Fact("", "cannot tell: " + unknown)) }
        if record.environment.filter.excluded {
            lines.append(Fact("", "the run is kept out of medians, frontier and baselines", .bad))
        }
        return lines
    }

    private var warnings: [Fact] {
        record.warnings.enumerated().map { Fact($0 == 0 ? "warnings" : "", safe($1), .warning) }
    }

    private var run: String {
        safe(record.id) + (record.label.map { ", label \(safe($0))" } ?? "")
            + ", started \(safe(record.started)), sustain \(safe(record.tool.version))"
            + (record.tool.buildType == "release" ? "" : " (\(safe(record.tool.buildType)) build)")
    }

    private var outcome: Fact {
        let outcome = record.outcome
        if outcome.status == .completed {
            return Fact("outcome", outcome.kind.map { "completed: " + DepthFacts.words($0) } ?? "completed")
        }
        let how = [
            record.ending, outcome.signal.map { "signal \($0)" },
            outcome.exitStatus.map { "exit status \($0)" },
            outcome.status == .refused ? nil : outcome.last?.text, outcome.remedy,
        ].compactMap(\.self).map(safe)
        let status = safe(outcome.status.rawValue.replacing("_", with: " "))
        return Fact("outcome", status + (how.isEmpty ? "" : ": " + how.joined(separator: "; ")), .bad)
    }

    private func safe(_ text: String) -> String { FactText.safe(text) }
    private func missing(_ reason: String) -> String { FactText.missing(reason) }
    private func percent(_ figure: Figure) -> String? { FactText.percent(figure) }
    private func list(_ items: [Item]) -> String { FactText.list(items) }
    private typealias Item = FactText.Item
}
