/// Puts a comparison of whole runs together: what the session's trace says of the order, and the runs' own records.
struct WholeRunsBuilder {
    private let trace: Trace
    private let reference: VariantFacts?
    private let runs: [ComparedRun]
    /// Lines of runs that say something impossible.
    private let dropped: Int

    /// - Parameter record: of a run by its id; asked once a run.
    init(_ trace: Trace, record: (String) -> Result<Record, Unavailable>) {
        self.trace = trace
        reference = trace.reference
        let temperatures = StartTemperatures(trace)
        // A run is one observation, and a place in a round has one run.
        var (ids, places): (Set<String>, Set<[Int]>) = ([], [])
        let lines = trace.runs.filter { line in
            line.round >= 0 && line.place >= 0 && !ids.contains(line.id)
                && places.insert([line.variant, line.round]).inserted && ids.insert(line.id).inserted
        }
        dropped = trace.runs.count - lines.count
        runs = lines.map { line in
            ComparedRun(line: line, record: record(line.id), startedAt: temperatures.before(line.begin))
        }
    }

    var document: SessionDocument {
        let others = trace.variants.filter { $0.line.index != reference?.line.index }
        let first = known.first
        return SessionDocument(
            id: trace.header.id, label: trace.header.label, started: trace.header.wallClock,
            tool: trace.header.tool, protocol: reference?.line.workload ?? trace.workload,
            options: trace.header.options, environment: environment,
            total: first?.total ?? Total(includes: [], excludes: [], unavailable: "no run has a record"),
            reference: reference?.line.name ?? "none",
            residency: SessionDocument.Residency(
                mode: "whole runs",
                reason: trace.session?.residency ?? "each variant is loaded by its own runs"),
            variants: trace.variants.map(variant), comparisons: others.map(comparison),
            gates: others.flatMap(gates), blocks: [], runs: runs.map(shown),
            idleWatts: .unavailable("each run has idle windows of its own"),
            overhead: .unavailable("each run has its own"), warnings: warnings,
            outcome: OutcomeSummary(session: trace))
    }

    private var known: [Record] { runs.compactMap(\.known) }

    private func runs(of facts: VariantFacts) -> [ComparedRun] {
        runs.filter { $0.line.variant == facts.line.index }
    }

    /// The machine as the first run found it; a check that failed in any run has failed.
    private var environment: Environment {
        guard let first = known.first else { return Environment([]) }
        var merged = first.environment
        merged.after = known.last?.environment.after ?? merged.after
        for record in known.dropFirst() {
            for check in record.environment.filter.verdicts where check.verdict == .fail {
                merged.filter.verdicts.removeAll { $0.name == check.name && $0.verdict != .fail }
                if !merged.filter.verdicts.contains(where: { $0.name == check.name }) {
                    merged.filter.verdicts.append(check)
                }
            }
            merged.filter.excluded = merged.filter.excluded || record.environment.filter.excluded
        }
        return merged
    }

    private func shown(_ run: ComparedRun) -> SessionDocument.Run {
        let name = trace.variants.first { $0.line.index == run.line.variant }?.line.name
        return SessionDocument.Run(
            variant: name ?? "none", round: run.line.round, place: run.line.place, id: run.line.id,
            cooling: run.line.cooling, startedAt: run.startedAt,
            values: Dictionary(uniqueKeysWithValues: run.values.map { ($0.key.rawValue, $0.value) }),
            excluded: run.known?.environment.filter.excluded ?? false,
            outcome: run.known?.outcome ?? OutcomeSummary(OutcomeLine(.failed, cause: run.missing)))
    }

    // MARK: Variants

    private func variant(_ facts: VariantFacts) -> SessionDocument.Variant {
        let own = runs(of: facts).filter(\.isComplete)
        func mean(_ metric: ComparedMetric) -> Figure {
            RunFigures.mean(own.map { $0.values[metric] ?? .unavailable("not measured") })
        }
        var figures: [String: Figure] = [:]
        for metric in ComparedMetric.allCases where !metric.isMemory {
            figures[metric.rawValue] = mean(metric)
        }
        let first = runs(of: facts).lazy.compactMap(\.known).first
        return SessionDocument.Variant(
            name: facts.line.name, options: facts.line.options,
            artifact: first?.artifact ?? .unavailable("no run has a record"),
            engine: first?.engine ?? .unavailable("no run has a record"), figures: figures,
            memory: SessionDocument.Memory(
                peakRSSBytes: mean(.peakMemory), peakAnonymousBytes: mean(.peakAnonymousMemory),
                accounting: first?.memory.accounting ?? "unknown"),
            idleCores: .unavailable("no variant is resident while another has its turn"),
            parity: facts.parity(against: reference),
            outcome: OutcomeSummary(facts.outcome ?? OutcomeLine(.completed)))
    }

    /// Nil for a variant of which no run tells what it is.
    private func build(_ facts: VariantFacts) -> ComparedBuild? {
        guard let first = runs(of: facts).lazy.compactMap(\.known).first else { return nil }
        return ComparedBuild(facts.line, artifact: first.artifact.value, engine: first.engine.value)
    }

    // MARK: Comparisons

    private func comparison(_ facts: VariantFacts) -> SessionDocument.Comparison {
        var effects: [String: Maybe<SessionDocument.Effect>] = [:]
        for metric in ComparedMetric.allCases {
            switch effect(metric, facts) {
            case .success(let effect): effects[metric.rawValue] = .known(SessionDocument.Effect(effect))
            case .failure(let why): effects[metric.rawValue] = .unavailable(why.reason)
            }
        }
        var differs: [Difference] = []
        if let one = reference.flatMap(build), let other = build(facts) {
            differs = Difference.between(one, other)
        }
        var comparison = SessionDocument.Comparison(
            variant: facts.line.name, quads: pairs(of: facts).count, quadsPlanned: trace.session?.quads ?? 0,
            effects: effects, differsIn: differs, confounded: differs.count > 1, sentence: "")
        comparison.sentence = VerdictSentence.text(
            comparison, reference: reference?.line.name ?? "none", failure: facts.failure(against: reference),
            parity: facts.parity(against: reference), rate: .sustained)
        return comparison
    }

    /// A complete run of the reference with one of the variant, of one round.
    private func pairs(of facts: VariantFacts) -> [(reference: ComparedRun, variant: ComparedRun)] {
        guard let reference else { return [] }
        let own = runs(of: facts).filter(\.isComplete)
        return runs(of: reference).filter(\.isComplete).compactMap { one in
            own.first { $0.line.round == one.line.round }.map { (one, $0) }
        }
    }

    private func effect(
        _ metric: ComparedMetric, _ facts: VariantFacts
    ) -> Result<PairedEffect, Unavailable> {
        let pairs = pairs(of: facts)
        if let failure = facts.failure(against: reference), pairs.count < PairedEffect.fewestPairs {
            return .failure(Unavailable(failure))
        }
        var found: [PairedEffect.RunPair] = []
        var missing: String?
        for (one, other) in pairs {
            if let why = Self.incomparable(metric, one, other) {
                missing = missing ?? why
                continue
            }
            let values = [one, other].map { $0.values[metric] ?? .unavailable("not measured") }
            let numbers = values.compactMap(\.value)
            if numbers.count == 2,
                let pair = PairedEffect.RunPair(reference: numbers[0], variant: numbers[1])
            {
                found.append(pair)
            } else {
                missing = missing ?? values.lazy.compactMap(\.reason).first ?? "a figure is not above 0"
            }
        }
        // A pair may lack a figure for being slow: the others would tell of the fast ones alone.
        if let missing {
            let count = found.isEmpty ? "" : "\(found.count) of \(pairs.count) pairs have it: "
            return .failure(Unavailable(count + missing))
        }
        return PairedEffect.ofRuns(found, resolution: metric.isMemory ? SessionBuilder.memoryResolution : 0)
    }

    /// Why two runs cannot be held against each other in one figure; nil where they can.
    private static func incomparable(
        _ metric: ComparedMetric, _ one: ComparedRun, _ other: ComparedRun
    ) -> String? {
        guard let a = one.known, let b = other.known else { return "a run has no record" }
        if metric.needsEnergy, a.total.includes != b.total.includes {
            return "energy of another scope: \(b.total.scope ?? "none") against \(a.total.scope ?? "none")"
        }
        let hold = a.artifact.value != nil && b.artifact.value != nil
        if metric.isMemory, hold, a.memory.accounting != b.memory.accounting {
            return "memory of another kind: \(b.memory.accounting) against \(a.memory.accounting)"
        }
        return nil
    }

    private func gates(_ facts: VariantFacts) -> [SessionDocument.Gate] {
        ChangeGate.all(in: trace.header.options).map { gate in
            SessionDocument.Gate(gate, facts.line.name, effect(gate.metric, facts))
        }
    }

    // MARK: Warnings

    private var warnings: [String] {
        var result: [String] = []
        for text in trace.warnings + trace.notes.warnings where !result.contains(text) { result.append(text) }
        if dropped > 0 {
            result.append(
                "\(dropped) lines of runs are left out: a run, or a place in a round, that was there before")
        }
        result += StartTemperatures.warnings(runs)
        for run in runs {
            guard let record = run.known else {
                result.append("run \(run.line.id): \(run.missing ?? "no record")")
                continue
            }
            if !run.isComplete {
                let cause = record.outcome.cause.map { ": \($0)" } ?? ""
                result.append(
                    "run \(run.line.id) makes no pair: \(record.outcome.status.rawValue)\(cause)")
            }
            let failed = record.environment.filter.verdicts.filter { $0.verdict == .fail }.map(\.name)
            if record.environment.filter.excluded {
                result.append(
                    "run \(run.line.id) failed conditions, and counts here all the same: "
                        + failed.joined(separator: ", "))
            }
        }
        return result
    }
}

/// A run with what its record says.
struct ComparedRun {
    let line: RunLine
    let known: Record?
    /// Why there is no record.
    let missing: String?
    let values: [ComparedMetric: Maybe<Double>]
    /// Degrees Celsius by source.
    let startedAt: [String: Double]

    init(line: RunLine, record: Result<Record, Unavailable>, startedAt: [String: Double]) {
        self.line = line
        self.startedAt = startedAt
        switch record {
        case .success(let record):
            known = record
            missing = nil
            values = RunFigures.values(record)
        case .failure(let why):
            known = nil
            missing = why.reason
            values = [:]
        }
    }

    /// What ended early has measured another thing.
    var isComplete: Bool { known?.outcome.status == .completed }
}
