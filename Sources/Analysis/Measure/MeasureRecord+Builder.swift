extension MeasureRecord {
    /// The record of a measurement; nil where the command never ran.
    ///
    /// A run that a signal to `sustain` cut short is left out where there are others.
    public init?(_ facts: MeasureFacts) {
        let whole = facts.runs.filter { !$0.wasInterrupted }
        let runs = whole.isEmpty ? facts.runs : whole
        guard let last = facts.runs.last, let mean = Moments.mean(runs.map(\.span.seconds)) else {
            return nil
        }
        let energy = MeasuredEnergy(facts, runs: runs.map(\.span))
        self.init(
            label: facts.label, started: facts.started, tool: facts.tool, command: facts.command,
            repetitions: facts.repetitions, seconds: mean,
            elapsedSeconds: RepeatFigures.elapsed(runs.map(\.span)),
            userSeconds: Moments.mean(runs.map(\.user.seconds.value)) ?? 0,
            systemSeconds: Moments.mean(runs.map(\.system.seconds.value)) ?? 0, exitCode: last.exitCode,
            provisional: runs.count < RepeatFigures.fewestRuns,
            runs: runs.map { run in
                Run(
                    seconds: run.span.seconds, exitCode: run.exitCode, joules: energy.joules(of: run.span))
            },
            total: WholeEnergy(scopes: energy.scopes, gross: energy.gross, net: energy.net),
            idle: Idle(
                watts: energy.idleWatts,
                beforeSeconds: Maybe(facts.idleBefore?.seconds, else: facts.whyNoIdle ?? "interrupted"),
                afterSeconds: Maybe(
                    facts.idleAfter?.seconds, else: facts.whyNoIdle ?? facts.whyNoIdleAfter ?? "interrupted"),
                disturbance: facts.disturbance),
            sources: energy.sources, overhead: OverheadSummary.of(facts.overhead),
            warnings: facts.warnings + Self.warnings(facts, kept: runs))
    }

    private static func warnings(_ facts: MeasureFacts, kept: [MeasureFacts.Run]) -> [String] {
        var warnings: [String] = []
        if facts.runs.count < facts.repetitions {
            let which = facts.runs.last?.signal.map { " by \($0.name)" } ?? ""
            warnings.append("stopped\(which) after \(facts.runs.count) of \(facts.repetitions) runs")
        }
        if kept.count < facts.runs.count {
            warnings.append("the run that was interrupted is left out")
        } else if kept.last?.wasInterrupted == true {
            warnings.append("the run was interrupted: the figures are those of what it did until then")
        }
        for run in kept where !run.wasInterrupted {
            guard let signal = run.signal else { continue }
            warnings.append(
                "\(signal.name) came while it ran, \(short((run.span.end - signal.time).seconds.value)) s before "
                    + "it ended with exit code \(run.exitCode)")
        }
        let failed = kept.filter { $0.exitCode != 0 }.count
        if failed > 0, kept.count > 1 { warnings.append("\(failed) of \(kept.count) runs failed") }
        return warnings
    }
}

/// The energy figures of a measurement.
struct MeasuredEnergy {
    let scopes: Total
    let gross: MeasureRecord.Energy
    let net: MeasureRecord.Energy
    let idleWatts: Figure
    let sources: [SourceReading]
    private let ledger: EnergyLedger

    init(_ facts: MeasureFacts, runs: [Span]) {
        ledger = EnergyLedger(
            sources: facts.sources, samples: facts.samples, windows: Self.windows(facts),
            suspends: facts.sleeps.spans,
            gpus: GPUSelection(asked: facts.gpuProcesses, sources: facts.sources))
        let account = EnergyAccount(
            ledger: ledger, idleBefore: facts.idleBefore, idleAfter: facts.idleAfter,
            loadedIdle: PhaseSpans(spans: []), contention: facts.disturbance)
        var scopes = ledger.total
        if facts.sources.isEmpty { scopes.unavailable = CapabilitiesLine.whyNoEnergy(facts.capabilities) }
        self.scopes = scopes
        let ledger = ledger
        let rule = ShortCommandRule(runs: runs, sources: ledger.included)
        let energy =
            scopes.includes.isEmpty
            ? .failure(Unavailable(scopes.unavailable ?? "no energy source"))
            : rule.apply { ledger.energy(over: runs, judged: $0) }
        gross = Self.figures(energy, runs)
        let baseline = account.idle.mapError { facts.whyNoIdle.map(Unavailable.init) ?? $0 }
        net = Self.figures(
            energy.flatMap { energy in baseline.map { energy.above($0, runs) } }, runs)
        switch baseline {
        case .success(let idle): idleWatts = idle.figure
        case .failure(let why): idleWatts = .unavailable(why)
        }
        sources = Self.sources(facts, ledger, runs)
    }

    /// Gross, of one run alone.
    func joules(of run: Span) -> Figure {
        if let why = scopes.unavailable { return .unavailable(why) }
        switch ledger.energy(over: [run], judged: true) {
        case .success(let energy): return energy.figure()
        case .failure(let why): return .unavailable(why)
        }
    }

    private static func windows(_ facts: MeasureFacts) -> [NamedSpan] {
        var windows = facts.runs.map { NamedSpan("command", $0.span) }
        if let span = facts.idleBefore { windows.append(NamedSpan("idle", span)) }
        if let span = facts.idleAfter { windows.append(NamedSpan("idle", span)) }
        return windows
    }

    private static func figures(
        _ energy: Result<EnergyEstimate, Unavailable>, _ runs: [Span]
    ) -> MeasureRecord.Energy {
        switch energy {
        case .failure(let why):
            return MeasureRecord.Energy(joules: .unavailable(why), watts: .unavailable(why))
        case .success(let energy):
            let mean = RepeatFigures(energy, runs)
            return MeasureRecord.Energy(joules: mean.joules, watts: mean.watts)
        }
    }

    private static func sources(
        _ facts: MeasureFacts, _ ledger: EnergyLedger, _ runs: [Span]
    ) -> [SourceReading] {
        let rows = Dictionary(facts.capabilities.map { ($0.id, $0) }) { first, _ in first }
        var readings = zip(ledger.sources, ledger.summaries(since: facts.start)).map { source, summary in
            var summary = summary
            summary.remedy = rows[summary.id]?.remedy
            let rule = ShortCommandRule(runs: runs, sources: [source])
            let figures = figures(rule.apply { source.energy(over: runs, judged: $0) }, runs)
            return SourceReading(summary, joules: figures.joules, watts: figures.watts)
        }
        let opened = Set(facts.sources.map(\.id))
        readings += facts.capabilities.filter { !opened.contains($0.id) }.map(SourceReading.init(notOpened:))
        return readings
    }
}
