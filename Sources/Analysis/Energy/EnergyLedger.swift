/// The energy of a run: every source judged, the set that makes up the total, and joules over any windows.
///
/// A pure function of the trace. Building it costs time in proportion to the samples, a figure over n windows
/// n binary searches a source.
public struct EnergyLedger: Sendable {
    /// The sources that tell energy, in the order of the trace.
    public let sources: [EnergySource]
    public let scope: TotalScope
    /// The sources of the total, in its order.
    let included: [EnergySource]
    /// Index by index of the counter it copies.
    let mirrors: [Int: Int]

    /// For the record.
    public var total: Total { scope.total }

    /// - Parameters:
    ///   - marks: of the whole run: they divide increments between phases, and say when the engine computed.
    ///   - suspends: stretches in which the machine slept.
    ///   - seed: what the bootstrap's draws follow from: the run's id.
    public init(
        sources lines: [SourceLine], samples: [SampleLine], marks: [MarkLine], suspends: [Span] = [],
        gpus: GPUSelection = .allVisible, seed: String = ""
    ) {
        self.init(
            lines: lines, samples: samples, timeline: PhaseTimeline(marks: marks), suspends: suspends,
            gpus: gpus, knownMirrors: [:], waitsForFirstMove: false, seed: seed)
    }

    /// Of windows with names of the caller's, which may overlap, over any stretch of samples.
    ///
    /// A counter that was read for so short a time that its standing still means nothing stays in the total,
    /// which is then unavailable: a total without it would be another total.
    ///
    /// - Parameter knownMirrors: index by index of the counter it copies, as an earlier stretch showed.
    public init(
        sources lines: [SourceLine], samples: [SampleLine], windows: [NamedSpan], suspends: [Span] = [],
        gpus: GPUSelection = .allVisible, knownMirrors: [Int: Int] = [:]
    ) {
        self.init(
            lines: lines, samples: samples, timeline: PhaseTimeline(windows: windows), suspends: suspends,
            gpus: gpus, knownMirrors: knownMirrors, waitsForFirstMove: true, seed: "")
    }

    private init(
        lines: [SourceLine], samples: [SampleLine], timeline: PhaseTimeline, suspends: [Span],
        gpus: GPUSelection, knownMirrors: [Int: Int], waitsForFirstMove: Bool, seed: String
    ) {
        let energyLines = lines.filter(\.tellsEnergy)
        let reads = SourceReads(samples: samples, wanted: energyLines.map(\.index))
        let cycles = CycleTimeline(timeline)
        var counters: [Int: CounterSeries] = [:]
        for line in energyLines where line.kind == .counter {
            counters[line.index] = CounterSeries(
                CounterTraits(line), reads: reads[line.index],
                declaredPeriod: line.updatePeriodNanoseconds.map { Nanoseconds($0).seconds })
        }
        let mirrors = knownMirrors.merging(Self.mirrors(energyLines, counters)) { known, _ in known }
        self.mirrors = mirrors
        var sources = energyLines.map { line in
            let counter = counters[line.index]
            let gauge =
                line.kind == .gauge
                ? GaugeSeries(line, reads: reads[line.index].map(\.read)) : nil
            var health = Self.health(line, counters, loaded: timeline.busy)
            if let gauge, let problem = gauge.problem { health = SourceHealth(.unsupported, reason: problem) }
            let problem = Self.problem(line, counter: counter, gauge: gauge, health: health)
            if health.status == .ok, let original = mirrors[line.index] {
                let name = energyLines.first { $0.index == original }?.id ?? "another"
                health = SourceHealth(.mirrored, reason: "shows the same energy as \(name)")
            }
            return EnergySource(
                line, counter: counter, gauge: gauge, health: health, problem: problem, timeline: timeline,
                cycles: cycles, suspends: suspends)
        }
        var unusable: [Int: String] = [:]
        for source in sources where !(waitsForFirstMove && source.isUndecided) {
            unusable[source.line.index] = source.problem
        }
        scope = TotalScope(sources: lines, unusable: unusable, mirrors: mirrors, gpus: gpus)
        Self.draw(&sources, included: scope.includes, seed: seed)
        self.sources = sources
        let byIndex = Dictionary(sources.map { ($0.line.index, $0) }) { first, _ in first }
        included = scope.includes.compactMap { byIndex[$0] }
    }

    /// From a trace that was read.
    public init(trace: Trace) {
        self.init(
            sources: trace.sources, samples: trace.samples, marks: trace.marks,
            suspends: Suspends.spans(in: trace), gpus: GPUSelection(trace: trace), seed: trace.header.id)
    }

    /// The energy of one source over one or many windows.
    public func energy(of index: Int, over phase: PhaseSpans) -> Result<EnergyEstimate, Unavailable> {
        guard let source = sources.first(where: { $0.line.index == index }) else {
            return .failure(Unavailable("no energy source"))
        }
        return source.energy(over: phase.spans)
    }

    /// The energy of the total's scopes over one or many windows: never the sum of some of its sources.
    public func energy(over phase: PhaseSpans) -> Result<EnergyEstimate, Unavailable> {
        energy(over: phase.spans, judged: true)
    }

    /// - Parameter judged: whether a sum too uncertain to tell phases apart is refused.
    func energy(over spans: [Span], judged: Bool) -> Result<EnergyEstimate, Unavailable> {
        guard !included.isEmpty else { return .failure(Unavailable(total.unavailable ?? "no energy source")) }
        var parts: [EnergyEstimate] = []
        for source in included {
            switch source.energy(over: spans, judged: judged) {
            case .success(let part): parts.append(part)
            case .failure(let why): return .failure(Unavailable("\(source.line.id): \(why.reason)"))
            }
        }
        return .success(.sum(parts))
    }

    /// The void stretch of a source of the total that a window touches, so that a caller can leave out the
    /// windows without energy.
    public func void(touching span: Span) -> CounterSeries.Void? {
        included.lazy.compactMap { $0.void(touching: span) }.first
    }

    /// Whether the total's power is the same in both halves of a stretch, within 2 % or half a watt and what
    /// the edges leave open; nil where there is no energy.
    public func isSteady(over span: Span) -> Bool? {
        let middle = span.begin + Nanoseconds(span.length.value / 2)
        let halves = [Span(begin: span.begin, end: middle), Span(begin: middle, end: span.end)]
        var watts: [Double] = []
        var open = 0.0
        for half in halves {
            guard half.seconds > 0, case .success(let energy) = energy(over: [half], judged: false) else {
                return nil
            }
            watts.append(energy.joules / half.seconds)
            open += energy.half / half.seconds
        }
        return abs(watts[0] - watts[1]) <= max(0.5, 0.02 * watts[0]) + open
    }

    /// What vendors say of the accuracy of the total's sensors: "unknown" where none says anything.
    public var sensorAccuracy: String {
        let said = included.map { source in
            source.line.accuracy.map { "\(source.line.id): \($0.figure) (\($0.source))" }
                ?? "\(source.line.id): unknown"
        }
        return included.contains { $0.line.accuracy != nil } ? said.joined(separator: "; ") : "unknown"
    }

    /// The slowest source of the total: the longest time between two renewals of a value, seconds.
    public var slowestPeriod: Double? { included.compactMap(\.period).max() }
}

extension EnergyLedger {
    private static let draws = 400

    /// One set of draws for all fits, so that what several sources have in common stays so in each draw. The
    /// blocks are as long as the phases of the total need them.
    private static func draw(_ sources: inout [EnergySource], included: [Int], seed: String) {
        let fits = sources.compactMap { source in
            source.fit?.value.map { (fit: $0, isIncluded: included.contains(source.line.index)) }
        }
        let ofTotal = fits.filter(\.isIncluded).map(\.fit)
        guard let blocks = PhaseFit.blocks(ofTotal.isEmpty ? fits.map(\.fit) : ofTotal) else { return }
        var generator = SeededGenerator(text: seed)
        let draws = BlockDraws(blocks, number: Self.draws, using: &generator)
        for index in sources.indices where sources[index].needsDraws {
            sources[index].fitted = sources[index].fit?.value.flatMap { FittedPhases($0, draws) }
        }
    }

    /// Index by index of the counter it copies: the one earlier in the trace.
    private static func mirrors(_ lines: [SourceLine], _ counters: [Int: CounterSeries]) -> [Int: Int] {
        var result: [Int: Int] = [:]
        let moving = lines.compactMap { line in
            counters[line.index].flatMap { $0.everMoved ? (line.index, MirrorSteps($0)) : nil }
        }
        for (position, line) in moving.enumerated() {
            for earlier in moving[..<position] where result[earlier.0] == nil {
                guard SourceJudge.areMirrored(earlier.1, line.1) else { continue }
                result[line.0] = earlier.0
                break
            }
        }
        return result
    }

    private static func health(
        _ line: SourceLine, _ counters: [Int: CounterSeries], loaded: [Span]
    ) -> SourceHealth {
        guard let series = counters[line.index] else { return SourceHealth(.ok) }
        if SourceJudge.isDead(series, loaded: loaded) {
            return SourceHealth(.dead, reason: "never moved in \(series.goodReads) reads")
        }
        let others = counters.filter { $0.key != line.index }.map(\.value)
        let frozen = SourceJudge.frozen(series, others: others)
        guard let first = frozen.first else { return SourceHealth(.ok) }
        return SourceHealth(
            .frozen, reason: "stood still for \(short(first.seconds)) s while others moved", frozen: frozen)
    }

    private static func problem(
        _ line: SourceLine, counter: CounterSeries?, gauge: GaugeSeries?, health: SourceHealth
    ) -> String? {
        guard line.scale > 0, line.scale.isFinite else { return "its unit is not a positive number" }
        if let gauge { return gauge.problem }
        guard let counter, counter.goodReads > 0 else { return "no read succeeded" }
        if health.status == .dead { return "dead: \(health.reason ?? "never moved")" }
        return counter.everMoved ? nil : "the counter never moved"
    }
}
