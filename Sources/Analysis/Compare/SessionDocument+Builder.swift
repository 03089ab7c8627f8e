extension SessionDocument {
    /// Every figure of a session. Total: whatever the trace lacks is unavailable with its reason.
    ///
    /// - Parameter record: of a run by its id, for a session of whole runs; asked once a run.
    public init(
        _ trace: Trace,
        record: (String) -> Result<Record, Unavailable> = { _ in .failure(Unavailable("not read")) }
    ) {
        if trace.session?.wholeRuns == true {
            self = WholeRunsBuilder(trace, record: record).document
        } else {
            self = SessionBuilder(trace).document
        }
    }
}

/// Puts a comparison together out of a session's trace.
struct SessionBuilder {
    let trace: Trace
    private let reader: BlockReader
    private let reference: VariantFacts?
    /// Blocks that are whole, in the order of the trace.
    private let blocks: [BlockFigures]
    private let problems: [String]
    private let memories: [Int: MemorySummary]

    init(_ trace: Trace) {
        self.trace = trace
        let reader = BlockReader(trace)
        self.reader = reader
        reference = trace.reference
        var (blocks, problems): ([BlockFigures], [String]) = ([], [])
        for line in trace.blocks {
            switch reader.figures(line) {
            case .success(let figures): blocks.append(figures)
            case .failure(let why): problems.append(why.reason)
            }
        }
        self.blocks = blocks
        self.problems = problems
        memories = Dictionary(
            trace.variants.map { ($0.line.index, MemorySummary(Self.part(of: $0, trace))) },
            uniquingKeysWith: { first, _ in first })
    }

    /// A trace in which there is this variant alone.
    private static func part(of variant: VariantFacts, _ trace: Trace) -> Trace {
        var part = Trace(header: trace.header)
        let devices = Set(variant.pids.map { "pid-\($0)" })
        part.sources = trace.sources.filter {
            !$0.id.hasPrefix("process:") || devices.contains($0.scope.device)
        }
        part.samples = trace.samples
        part.memory = variant.memory
        part.engine = variant.engine
        part.fit = variant.fit
        return part
    }

    var document: SessionDocument {
        let others = trace.variants.filter { $0.line.index != reference?.line.index }
        let comparisons = others.map(comparison)
        let blocks = shownBlocks
        return SessionDocument(
            id: trace.header.id, label: trace.header.label, started: trace.header.wallClock,
            tool: trace.header.tool, protocol: reference?.line.workload ?? trace.workload,
            options: trace.header.options, environment: Environment(trace.conditions),
            total: reader.ledger.total, reference: reference?.line.name ?? "none", residency: residency,
            variants: trace.variants.map(variant), comparisons: comparisons,
            gates: zip(others, comparisons).flatMap { gates($0, $1) }, blocks: blocks,
            idleWatts: idleWatts, overhead: OverheadSummary.of(trace.overhead),
            warnings: warnings(blocks),
            outcome: OutcomeSummary(session: trace))
    }

    private var residency: SessionDocument.Residency {
        guard let session = trace.session else {
            return SessionDocument.Residency(
                mode: "unavailable", reason: "the session ended before it was decided")
        }
        return SessionDocument.Residency(
            mode: session.resident ? "resident" : "reloaded", reason: session.residency)
    }

    private var idleWatts: Figure {
        switch reader.idle {
        case .success(let idle): idle.figure
        case .failure(let why): .unavailable(why)
        }
    }

    // MARK: Variants

    private func variant(_ facts: VariantFacts) -> SessionDocument.Variant {
        let own = blocks.filter { $0.line.variant == facts.line.index }
        var figures: [String: Figure] = [:]
        for metric in ComparedMetric.ofBlocks where !metric.isMemory {
            figures[metric.rawValue] = BlockSummary.figure(metric, own)
        }
        let memory = memories[facts.line.index]
        let none = Figure.unavailable("not read in this session")
        return SessionDocument.Variant(
            name: facts.line.name, options: facts.line.options,
            artifact: Maybe(facts.artifact, else: "the trace names no artifact"),
            engine: Maybe(facts.engine.map(EngineSummary.init), else: "no engine said hello"),
            figures: figures,
            memory: SessionDocument.Memory(
                peakRSSBytes: memory?.peakRSSBytes ?? none,
                peakAnonymousBytes: memory?.peakAnonymousBytes ?? none,
                accounting: memory?.accounting ?? "unknown"),
            idleCores: idleCores(facts), idleGPU: IdleGPU.share(of: facts, in: blocks),
            parity: facts.parity(against: reference),
            outcome: OutcomeSummary(facts.outcome ?? OutcomeLine(.completed)))
    }

    private func idleCores(_ facts: VariantFacts) -> Maybe<Double> {
        var most: Double?
        for block in blocks where block.span.seconds > 0 {
            for idle in block.line.idle where idle.variant == facts.line.index {
                let used = idle.after > idle.before ? Double(idle.after - idle.before) / 1e9 : 0
                most = max(most ?? 0, used / block.span.seconds)
            }
        }
        return Maybe(most, else: "it was never resident without work, or its CPU time could not be read")
    }

    // MARK: Comparisons

    private func comparison(_ facts: VariantFacts) -> SessionDocument.Comparison {
        let quads = quads(of: facts)
        var effects: [String: Maybe<SessionDocument.Effect>] = [:]
        for metric in ComparedMetric.ofBlocks {
            switch effect(metric, facts, quads) {
            case .success(let effect): effects[metric.rawValue] = .known(SessionDocument.Effect(effect))
            case .failure(let why): effects[metric.rawValue] = .unavailable(why.reason)
            }
        }
        let differs = reference.map { Difference.between(ComparedBuild($0), ComparedBuild(facts)) } ?? []
        var comparison = SessionDocument.Comparison(
            variant: facts.line.name, quads: quads.count, quadsPlanned: trace.session?.quads ?? 0,
            effects: effects, differsIn: differs, confounded: differs.count > 1, sentence: "")
        comparison.sentence = VerdictSentence.text(
            comparison, reference: reference?.line.name ?? "none", failure: facts.failure(against: reference),
            parity: facts.parity(against: reference))
        return comparison
    }

    /// The whole quads of a variant: reference, variant, variant, reference.
    private func quads(of facts: VariantFacts) -> [[BlockFigures]] {
        guard let reference else { return [] }
        var found: [Int: [Int: BlockFigures]] = [:]
        for block in blocks where block.line.against == facts.line.index {
            found[block.line.quad, default: [:]][block.line.place] = block
        }
        let arms = [reference, facts, facts, reference].map(\.line.index)
        return found.sorted { $0.key < $1.key }.compactMap { _, places in
            let quad = (0..<4).compactMap { places[$0] }
            return quad.count == 4 && quad.map(\.line.variant) == arms ? quad : nil
        }
    }

    private func effect(
        _ metric: ComparedMetric, _ facts: VariantFacts, _ quads: [[BlockFigures]]
    ) -> Result<PairedEffect, Unavailable> {
        if let failure = facts.failure(against: reference), quads.count < PairedEffect.fewestQuads {
            return .failure(Unavailable(failure))
        }
        if metric.isMemory { return memoryEffect(metric, facts) }
        var pairs: [Quad] = []
        var missing: String?
        for quad in quads {
            let values = quad.map { $0.values[metric] ?? .unavailable("not measured") }
            let numbers = values.compactMap(\.value)
            if numbers.count == 4, let pair = Quad(numbers[0], numbers[1], numbers[2], numbers[3]) {
                pairs.append(pair)
            } else if missing == nil {
                missing = values.lazy.compactMap(\.reason).first ?? "a figure is not above 0"
            }
        }
        if pairs.count < PairedEffect.fewestQuads, let missing {
            let count = pairs.isEmpty ? "" : "\(pairs.count) of \(quads.count) quads have it: "
            return .failure(Unavailable(count + missing))
        }
        return PairedEffect.of(pairs)
    }

    /// Two processes of one build have been seen to differ by 0.6 % (docs/compare.md).
    static let memoryResolution = 0.01

    private func memoryEffect(
        _ metric: ComparedMetric, _ facts: VariantFacts
    ) -> Result<PairedEffect, Unavailable> {
        guard let reference, let one = memories[reference.line.index], let other = memories[facts.line.index]
        else { return .failure(Unavailable("not read in this session")) }
        // An engine that holds no model's file grows by too little to tell the kind.
        let hold = reference.artifact != nil && facts.artifact != nil
        guard !hold || one.accounting == other.accounting else {
            return .failure(
                Unavailable("memory of another kind: \(other.accounting) against \(one.accounting)"))
        }
        let key: KeyPath<MemorySummary, Figure> =
            metric == .peakMemory ? \.peakRSSBytes : \.peakAnonymousBytes
        for figure in [one[keyPath: key], other[keyPath: key]] {
            if let reason = figure.reason { return .failure(Unavailable(reason)) }
        }
        return PairedEffect.once(
            reference: one[keyPath: key].number ?? 0, variant: other[keyPath: key].number ?? 0,
            resolution: Self.memoryResolution)
    }

    // MARK: Gates

    private func gates(
        _ facts: VariantFacts, _ comparison: SessionDocument.Comparison
    ) -> [SessionDocument.Gate] {
        let quads = quads(of: facts)
        return ChangeGate.all(in: trace.header.options).map { gate in
            SessionDocument.Gate(gate, facts.line.name, effect(gate.metric, facts, quads))
        }
    }

    // MARK: The rest

    private var shownBlocks: [SessionDocument.Block] {
        let names = Dictionary(
            trace.variants.map { ($0.line.index, $0.line.name) }, uniquingKeysWith: { first, _ in first })
        let contention = ContentionLog(trace)
        return blocks.map { block in
            SessionDocument.Block(
                variant: names[block.line.variant] ?? "none", against: names[block.line.against] ?? "none",
                quad: block.line.quad, place: block.line.place,
                begin: (block.span.begin - trace.header.start).seconds.value,
                end: (block.span.end - trace.header.start).seconds.value, cycles: block.cycles,
                values: Dictionary(uniqueKeysWithValues: block.values.map { ($0.key.rawValue, $0.value) }),
                contention: contention.contention(in: block.span))
        }
    }

    private func warnings(_ shown: [SessionDocument.Block]) -> [String] {
        var result: [String] = []
        // Each variant says what is true of all of them.
        for text in trace.warnings + trace.notes.warnings + reader.problems + problems
        where !result.contains(text) { result.append(text) }
        let busy = blocks.compactMap(\.idleCores).max() ?? 0
        if busy > BlockSummary.idleLimit {
            result.append(
                "a variant that had nothing to do used up to \((busy * 100).inTenths) % of a core: it disturbs the "
                    + "other, and its energy is in the other's")
        }
        if let warning = IdleGPU.warning(trace.variants, in: blocks) { result.append(warning) }
        let neighbours = shown.compactMap { $0.contention.value?.otherCores }
        let disturbed = neighbours.count { $0 > 0.5 }
        if disturbed > 0 {
            result.append(
                "other programs used over half a core in \(disturbed) of \(shown.count) blocks")
        }
        return result
    }
}

extension SessionDocument.Effect {
    init(_ effect: PairedEffect) {
        ratio = effect.figure
        verdict =
            effect.verdict == .different
            ? SessionDocument.Effect.different : SessionDocument.Effect.noDifference
        floor = effect.floor
        minimumDetectable = effect.minimumDetectable
        quads = effect.quads
    }

    public static let different = "different"
    public static let noDifference = "no detectable difference"
}
