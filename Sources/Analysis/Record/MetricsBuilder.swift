/// Puts the figures of a run together.
struct MetricsBuilder {
    let trace: Trace
    let timeline: Timeline
    let energy: EnergyAccount
    let sustained: Result<SustainedPart, Unavailable>
    let rates: BurstAndSustained?
    let droop: Droop
    let contention: ContentionLog
    /// Whole cycles of the sustained part: the ones whose figures count.
    let whole: [Generation]
    let temperatures: [ContextSeries]
    private let events: EventLedger

    init(_ trace: Trace, _ timeline: Timeline) {
        self.trace = trace
        self.timeline = timeline
        let before = timeline.spans(of: .idleBefore)
        energy = EnergyAccount(
            ledger: EnergyLedger(trace: trace), idleBefore: before.first,
            idleAfter: timeline.spans(of: .idleAfter).first,
            loadedIdle: PhaseSpans(spans: timeline.spans(of: .loadedIdle)),
            contention: EnergyAccount.contention(in: trace.conditions))
        sustained = SustainedPart.of(timeline)
        whole = timeline.generations(of: .sustained).filter(\.isWhole)
        events = EventLedger(trace)
        temperatures = ContextSeries.of(.temperature, in: trace)
        let hotStart = CoolStart.objection(temperatures, idle: before)
        rates = try? sustained.map {
            BurstAndSustained($0, asked: trace.workload.seconds.value, hotStart: hotStart)
        }.get()
        droop = Droop(sustained, burst: rates?.burstStretch)
        contention = ContentionLog(trace)
    }

    var metrics: Metrics {
        let missing = noSustained
        let latencies = try? sustained.map { ($0.timeToFirstToken, $0.interTokenLatency, $0.rolling) }.get()
        let none = Latency.distribution([], missing: missing)
        var metrics = Metrics(
            idle: idle, loadCold: load(.loadCold), loadWarm: load(.loadWarm), firstToken: firstToken,
            loadedIdle: loadedIdle,
            fromIdle: fromIdle, prefill: phase(\.prefill, tokens: "prompt tokens") { $0.prompt },
            decode: phase(\.decode, tokens: "decode steps") { $0.decodeSteps },
            cycle: phase(\.cycleSpan, tokens: "generated tokens") { $0.generated },
            burst: rates?.burst ?? .unavailable(missing),
            sustained: rates?.sustained ?? .unavailable(missing),
            retained: rates?.retained ?? .unavailable(missing),
            droopOnsetSeconds: droop.onset,
            firstUse: firstUse,
            timeToFirstToken: latencies?.0 ?? none, interTokenLatency: latencies?.1 ?? none,
            busyShare: timeline.busyShare, wholeCycles: whole.count, truncated: truncated, closure: closure,
            perMinute: minutes, rolling: latencies?.2 ?? [])
        metrics.tokensPerBatteryPercent = TokensPerPercent.figure(of: trace, timeline)
        if metrics.idle.gross.watts.number != nil {
            metrics.idleDisturbance = EnergyAccount.contention(in: trace.conditions)
        }
        add(to: &metrics)
        return metrics
    }

    /// What a reader should know of the figures, made once by `metrics`.
    func warnings(on metrics: Metrics) -> [String] {
        var result: [String] = []
        if let seconds = rates?.shortRunSeconds {
            result.append(
                "short run: sustained covers \(seconds.inTenths) s after burst; ask for more --seconds")
        }
        result += neighbourWarnings(on: metrics)
        result += protocolWarnings
        if trace.marks.contains(where: { ($0.stream ?? 0) != 0 }) {
            result.append("several streams: rates are those of one stream, not of the machine")
        }
        if let busy = metrics.idleDisturbance {
            result.append("net figures are unreliable: \(busy)")
        }
        if let drift = idleDrift { result.append(drift) }
        if let difference = metrics.closure.number, abs(difference) > 0.005 {
            result.append(
                "the energies of prefill, decode and gaps do not sum to that of the cycles within 0.5 %")
        }
        if let end = trace.end {
            let slept = Nanoseconds(end.sleptNanoseconds &- trace.header.sleptNanoseconds).seconds.value
            if slept.magnitude > 0.01 {
                result.append(
                    "the machine slept for \(slept.inTenths) s during the run: windows it touches have no energy"
                )
            }
        }
        if let step = WallClockSteps.warning(in: trace) { result.append(step) }
        return result
    }

    /// Idle power that is not the same before and after the work: half the difference is in every net figure.
    private var idleDrift: String? {
        let powers = [Part.idleBefore, .idleAfter].map { part in
            energy.energyFigures(for: PhaseSpans(spans: timeline.spans(of: part))).gross.watts.number
        }
        guard let before = powers[0], let after = powers[1] else { return nil }
        guard abs(after - before) > max(0.5, 0.05 * max(before, after)) else { return nil }
        return
            "idle power was \(before.inTenths) W before and \(after.inTenths) W after: net figures take their mean"
    }

    /// Whether the phases of the whole cycles sum to the energy of the stretch that they fill.
    private var closure: Figure {
        guard let first = whole.first, let end = whole.last?.cycleEnd, end > first.submit else {
            return .unavailable("no whole cycle")
        }
        let parts = [\Generation.prefill, \Generation.decode, \Generation.gap].map { phase in
            PhaseSpans(spans: whole.compactMap { $0[keyPath: phase] })
        }
        switch energy.closure(parts: parts, whole: Span(begin: first.submit, end: end)) {
        case .failure(let why): return .unavailable(why)
        case .success(let closure):
            return .once(closure.difference, method: "(phases - whole) / whole, counters at edges")
        }
    }

    /// False when the engine's tokens are counted by their text.
    private var exact: Bool { trace.engine?.countsTokens ?? true }

    private var noSustained: String {
        if case .failure(let why) = sustained { why.reason } else { "no decode step in the sustained part" }
    }

    private var truncated: Int {
        trace.done.count { $0.stop != "length" && $0.stop != "deadline" }
    }

    private var minutes: [Minute] {
        guard case .success(let part) = sustained else { return [] }
        return MinuteTable(
            part, energy: energy, temperatures: temperatures, clocks: clocks, contention: contention
        ).rows
    }

    /// The clocks of what computes: the GPUs' where the engine uses one, and never those of memory.
    var clocks: [ContextSeries] {
        let all = ContextSeries.of(.frequency, in: trace).filter { $0.source.scope.domain != "gpu-memory" }
        let boards = all.filter { $0.source.scope.domain == "gpu-board" }
        let usesBoards =
            switch GPUSelection(trace: trace) {
            case .engineDevices: true
            case .listingEngine(let devices): !devices.isEmpty
            case .allVisible: trace.engine?.devices.isEmpty == false
            }
        return usesBoards && !boards.isEmpty ? boards : all
    }

    private var firstUse: FirstUse {
        if let objection = trace.pageCache?.objection {
            let none = Figure.unavailable("load_cold: \(objection)")
            return FirstUse(seconds: none, joules: none)
        }
        let cold = timeline.loads.first { $0.part == .loadCold && $0.whole }?.span
        let first = timeline.generations.first { $0.part == .firstToken }?.prefill
        return energy.firstUse(
            loadCold: PhaseSpans(spans: [cold].compactMap(\.self)),
            firstToken: PhaseSpans(spans: [first].compactMap(\.self)),
            cycle: PhaseSpans(spans: whole.compactMap(\.cycleSpan)))
    }

    private var idle: PhaseMetrics {
        let spans = timeline.spans(of: .idleBefore) + timeline.spans(of: .idleAfter)
        var result = noTokens(spans, why: "idle makes no tokens", missing: "the run has no idle window")
        let baseline = EnergyFigures.unavailable("idle is the baseline")
        result.net = baseline
        result.netLoaded = baseline
        return result
    }

    private var loadedIdle: PhaseMetrics {
        var result = noTokens(
            timeline.spans(of: .loadedIdle), why: "idle makes no tokens",
            missing: "the run has no loaded_idle window")
        result.netLoaded = .unavailable("loaded_idle is the baseline")
        return result
    }

    private func load(_ part: Part) -> PhaseMetrics {
        let spans = timeline.loads.filter { $0.part == part }
        guard let load = spans.first else { return .unavailable("the run has no \(part.rawValue) window") }
        guard load.whole else { return .unavailable("the load did not end") }
        if part == .loadCold, let objection = trace.pageCache?.objection { return .unavailable(objection) }
        return noTokens([load.span], why: "a load makes no tokens", missing: "")
    }

    private var firstToken: PhaseMetrics {
        guard let generation = timeline.generations.first(where: { $0.part == .firstToken }) else {
            return .unavailable("the run has no first_token window")
        }
        return once(generation.prefill, tokens: generation.counts?.prompt, named: "prompt tokens")
    }

    private var fromIdle: FromIdle {
        guard let generation = timeline.generations.first(where: { $0.part == .fromIdle }) else {
            let none = PhaseMetrics.unavailable("the run has no generation from idle")
            return FromIdle(prefill: none, decode: none)
        }
        return FromIdle(
            prefill: once(generation.prefill, tokens: generation.counts?.prompt, named: "prompt tokens"),
            decode: generation.isWhole
                ? once(generation.decode, tokens: generation.counts?.decodeSteps, named: "decode steps")
                : .unavailable("the generation from idle was cut"))
    }

    /// A phase that came once.
    private func once(_ span: Span?, tokens: Int?, named name: String) -> PhaseMetrics {
        guard let span else { return .unavailable("a mark of its edges is missing") }
        let rate =
            tokens.map { PhaseRate.figure([(span.seconds, $0)], tokens: name, exact: exact) }
            ?? .unavailable("the engine gave no token counts")
        return PhaseMetrics(
            PhaseSpans(spans: [span], tokens: tokens), rate: rate,
            noTokens: "the engine gave no token counts",
            energy: energy)
    }

    private func noTokens(_ spans: [Span], why: String, missing: String) -> PhaseMetrics {
        guard !spans.isEmpty else { return .unavailable(missing) }
        return PhaseMetrics(
            PhaseSpans(spans: spans), rate: .unavailable(why), noTokens: why, energy: energy)
    }

    /// A phase over the whole cycles of the sustained part.
    private func phase(
        _ span: KeyPath<Generation, Span?>, tokens name: String, _ tokens: (Generation.Counts) -> Int
    ) -> PhaseMetrics {
        var spans: [Span] = []
        var shares: [PhaseRate.Share] = []
        for generation in whole {
            guard let found = generation[keyPath: span], let counts = generation.counts else { continue }
            spans.append(found)
            shares.append((found.seconds, tokens(counts)))
        }
        guard !spans.isEmpty else {
            let why = timeline.sustainedStart == nil ? noSustained : "no whole cycle"
            var none = PhaseMetrics.unavailable(why)
            none.counters = EventFigures { _ in .unavailable(why) }
            return none
        }
        var metrics = PhaseMetrics(
            PhaseSpans(spans: spans, tokens: shares.reduce(0) { $0 + $1.tokens }),
            rate: PhaseRate.figure(shares, tokens: name, exact: exact), noTokens: "no whole cycle",
            energy: energy)
        metrics.counters = events.figures(zip(spans, shares).map { ($0, $1.tokens) }, per: name)
        return metrics
    }
}
