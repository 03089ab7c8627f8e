/// The figures of one block: a ratio of sums over its generations each.
struct BlockFigures: Sendable {
    let line: BlockLine
    /// From the first prompt to the last token.
    let span: Span
    let cycles: Int
    let values: [ComparedMetric: Maybe<Double>]
    /// Cores that resident variants used which had nothing to do; nil where there was none to look at.
    let idleCores: Double?
}

/// Reads the blocks of a session's trace.
struct BlockReader {
    private let trace: Trace
    /// By number.
    private let generations: [Generation]
    let ledger: EnergyLedger
    let idle: Result<IdleBaseline, Unavailable>
    /// What is wrong with the marks of generations, one sentence each.
    let problems: [String]

    init(_ trace: Trace) {
        self.trace = trace
        let lastSeen = Self.lastSeen(trace)
        let built = GenerationBuilder.build(trace, lastSeen: lastSeen)
        problems = built.problems.warnings
        generations = built.generations.sorted { $0.cycle < $1.cycle }
        let parts = PartSpan.pair(trace.marks, .begin, .end, lastSeen: lastSeen).spans.filter(\.whole)
        ledger = EnergyLedger(
            sources: trace.sources, samples: trace.samples,
            windows: Self.windows(trace, built.generations, parts), suspends: Suspends.spans(in: trace),
            gpus: Self.gpus(trace))
        func span(_ part: Part) -> Span? { parts.first { $0.part == part }?.span }
        idle = IdleBaseline.idle(
            ledger, before: span(.idleBefore), after: span(.idleAfter),
            contention: EnergyAccount.contention(in: trace.conditions))
    }

    /// Nil for a block that lacks a whole generation, and says why.
    func figures(_ line: BlockLine) -> Result<BlockFigures, Unavailable> {
        let name = "block \(line.place &+ 1) of quad \(line.quad &+ 1)"
        guard line.firstCycle <= line.lastCycle else {
            return .failure(Unavailable("\(name): no generation"))
        }
        let (count, overflow) = line.lastCycle.subtractingReportingOverflow(line.firstCycle)
        let from = generations.partitioningIndex { $0.cycle >= line.firstCycle }
        let to = generations.partitioningIndex { $0.cycle > line.lastCycle }
        let found = generations[from..<to].sorted { $0.submit < $1.submit }
        let whole = found.filter(\.isWhole)
        guard !overflow, found.count - 1 == count, whole.count == found.count, let first = whole.first,
            let end = whole.last?.decode?.end
        else { return .failure(Unavailable("\(name): a generation is not whole")) }
        let span = Span(begin: first.submit, end: end)
        return .success(
            BlockFigures(
                line: line, span: span, cycles: whole.count, values: values(whole, span),
                idleCores: idleCores(line, span)))
    }

    private func values(_ cycles: [Generation], _ span: Span) -> [ComparedMetric: Maybe<Double>] {
        let decodes = PhaseSpans(
            spans: cycles.compactMap(\.decode),
            tokens: cycles.reduce(0) { $0 + ($1.counts?.decodeSteps ?? 0) })
        let prefills = PhaseSpans(
            spans: cycles.compactMap(\.prefill), tokens: cycles.reduce(0) { $0 + ($1.counts?.prompt ?? 0) })
        let whole = PhaseSpans(
            spans: [span], tokens: cycles.reduce(0) { $0 + ($1.counts?.generated ?? 0) })
        var values: [ComparedMetric: Maybe<Double>] = [
            .decodeRate: Self.rate(decodes), .prefillRate: Self.rate(prefills), .cycleRate: Self.rate(whole),
            .prefillEnergy: perToken(prefills), .decodeEnergy: perToken(decodes),
            .cycleEnergy: perToken(whole),
            .decodeNetEnergy: perToken(decodes, net: true), .cycleNetEnergy: perToken(whole, net: true),
        ]
        values[.decodePower] = joules(decodes, net: false).map { $0 / decodes.seconds }
        let lengths = cycles.compactMap { $0.prefill?.length.value }.sorted()
        values[.timeToFirstToken] = Maybe(
            Quantile.median(ofSorted: lengths).map { $0 / 1e9 }, else: "no prefill")
        return values
    }

    private static func rate(_ phase: PhaseSpans) -> Maybe<Double> {
        guard let tokens = phase.tokens, tokens > 0 else { return .unavailable("no tokens in this phase") }
        guard phase.seconds > 0 else { return .unavailable("took no measurable time") }
        return .known(Double(tokens) / phase.seconds)
    }

    private func perToken(_ phase: PhaseSpans, net: Bool = false) -> Maybe<Double> {
        guard let tokens = phase.tokens, tokens > 0 else { return .unavailable("no tokens in this phase") }
        return joules(phase, net: net).map { $0 / Double(tokens) }
    }

    private func joules(_ phase: PhaseSpans, net: Bool) -> Maybe<Double> {
        let energy = ledger.energy(over: phase)
        let result = net ? energy.flatMap { gross in idle.map { gross.above($0, phase.spans) } } : energy
        switch result {
        case .failure(let why): return .unavailable(why)
        case .success(let energy): return .known(energy.joules)
        }
    }

    private func idleCores(_ line: BlockLine, _ span: Span) -> Double? {
        guard !line.idle.isEmpty, span.seconds > 0 else { return nil }
        let used = line.idle.reduce(0.0) { sum, arm in
            sum + (arm.after > arm.before ? Double(arm.after - arm.before) : 0)
        }
        return used / 1e9 / span.seconds
    }
}

extension BlockReader {
    private static func lastSeen(_ trace: Trace) -> Instant {
        let moments = [trace.header.start, trace.end?.time, trace.marks.map(\.time).max()]
        return moments.compactMap(\.self).max() ?? trace.header.start
    }

    /// Each variant's phases have a name of their own: what one variant draws says nothing of another.
    private static func windows(
        _ trace: Trace, _ generations: [Generation], _ parts: [PartSpan]
    ) -> [NamedSpan] {
        let blocks = trace.blocks.sorted { $0.firstCycle < $1.firstCycle }
        func owner(_ cycle: Int) -> String {
            let next = blocks.partitioningIndex { $0.lastCycle >= cycle }
            // What is discarded after a switch is of the block that follows.
            return next < blocks.count ? String(blocks[next].variant) : "other"
        }
        var windows = parts.map { NamedSpan($0.part.rawValue, $0.span) }
        for generation in generations {
            let owner = owner(generation.cycle)
            if let prefill = generation.prefill { windows.append(NamedSpan("\(owner)/prefill", prefill)) }
            if let decode = generation.decode { windows.append(NamedSpan("\(owner)/decode", decode)) }
        }
        return windows
    }

    /// The devices of all variants: one total for all, or their joules could not be compared.
    private static func gpus(_ trace: Trace) -> GPUSelection {
        let named = GPUSelection.engineDevices(trace.variants.flatMap { $0.engine?.devices ?? [] })
        return trace.sources.contains(where: named.includes)
            ? named : GPUSelection(asked: trace.gpuProcesses, sources: trace.sources)
    }
}

extension Maybe<Double> {
    fileprivate func map(_ change: (Double) -> Double) -> Maybe<Double> {
        if case .known(let value) = self { .known(change(value)) } else { self }
    }
}
