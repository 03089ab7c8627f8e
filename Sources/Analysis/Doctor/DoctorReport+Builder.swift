extension DoctorReport {
    /// A pure function of what the probe and a short look gave.
    ///
    /// - Parameters:
    ///   - rows: the probe's, in order.
    ///   - lines: of the sources that were read in the look, with their indices.
    ///   - others: of those that were opened and not read: context.
    ///   - samples: the look's.
    public init(
        rows: [CapabilitiesLine.Row], lines: [SourceLine], others: [SourceLine], samples: [SampleLine],
        seconds: Double, runSeconds: Double = 60
    ) {
        let ledger = EnergyLedger(sources: lines, samples: samples, marks: [])
        let byID = Dictionary(ledger.sources.map { ($0.line.id, $0) }) { first, _ in first }
        let opened = Dictionary((lines + others).map { ($0.id, $0) }) { first, _ in first }
        self.seconds = seconds
        self.runSeconds = runSeconds
        sources = rows.map { row in
            var look = SourceLook(row, opened[row.id])
            if let source = byID[row.id] { look.add(Look(source), runSeconds: runSeconds) }
            return look
        }
        total = ledger.total
        minimumDetectableEffectWatts = Self.effect(of: total, sources)
        var seen: Set<String> = []
        remedies = rows.compactMap(\.remedy).filter { seen.insert($0).inserted }
    }

    /// The sources' errors have nothing to do with each other: their smallest changes add in quadrature.
    private static func effect(of total: Total, _ sources: [SourceLook]) -> Figure {
        if let why = total.unavailable { return .unavailable(why) }
        var squares = 0.0
        for source in sources where total.includes.contains(source.id) {
            switch source.minimumDetectableEffectWatts {
            case .unavailable(let why): return .unavailable("\(source.id): \(why.reason)")
            case .value(let watts, _, _): squares += watts * watts
            }
        }
        return .once(squares.squareRoot(), method: "root of the sum of squares over the total's sources")
    }
}

extension SourceLook {
    fileprivate mutating func add(_ look: Look, runSeconds: Double) {
        let health = look.source.health
        if health.status != .ok { status = health.status }
        reason = health.reason ?? look.source.problem ?? reason
        let period = look.source.counter?.period ?? look.source.gauge?.period
        updatePeriodSeconds = period?.figure ?? .unavailable("the value never moved in the look")
        resolution = look.resolution
        watts = look.watts
        switch look.precision {
        case .failure(let why):
            noiseWatts = .unavailable(why)
            minimumDetectableEffectWatts = .unavailable(why)
        case .success(let precision):
            let blocks = "\(precision.blocks) blocks of \(short(precision.blockSeconds)) s"
            noiseWatts = .once(
                precision.noise.squareRoot(), method: "standard deviation of the mean power of \(blocks)")
            minimumDetectableEffectWatts =
                precision.smallestChange(over: runSeconds).map {
                    .once(
                        $0, method: "step, edges and noise of \(blocks), at the power of the look, 95 %")
                } ?? .unavailable("the look was too short")
        }
    }
}

/// One source of energy over a short look.
private struct Look {
    let source: EnergySource

    private static let shortestBlock = 0.1
    private static let periodsInBlock = 5.0
    private static let fewestBlocks = 4
    private static let mostBlocks = 64
    /// What the command accepts.
    private static let longestLook = 120.0

    init(_ source: EnergySource) { self.source = source }

    /// From the first movement to the last: the edges are the counter's own. A gauge's readings likewise.
    private var span: Span? {
        let times = source.counter?.movements.map(\.latest) ?? source.gauge?.readings.map(\.time) ?? []
        guard let first = times.first, let last = times.last, first < last else { return nil }
        return Span(begin: first, end: last)
    }

    /// Joules of a counter's step, or watts between a gauge's values.
    private var unit: Double? {
        if let counter = source.counter {
            return counter.everMoved ? counter.resolution * counter.traits.scale : nil
        }
        let raw = source.gauge?.readings.map { Int64(($0.watts / source.line.scale).rounded()) } ?? []
        var divisor: UInt64 = 0
        for (before, now) in zip(raw, raw.dropFirst()) where before != now {
            var (a, b) = (divisor, (now &- before).magnitude)
            while b != 0 { (a, b) = (b, a % b) }
            divisor = a
        }
        return divisor > 0 ? Double(divisor) * source.line.scale : nil
    }

    var resolution: Figure {
        guard let unit else { return .unavailable("the value never moved in the look") }
        return .once(
            unit, method: source.counter == nil ? "largest unit of all changes, W" : "unit of the counter, J")
    }

    var watts: Figure {
        guard let span else { return .unavailable("the value never moved in the look") }
        switch source.energy(over: [span], judged: false) {
        case .failure(let why): return .unavailable(why)
        case .success(let energy): return energy.figure(per: span.seconds)
        }
    }

    var precision: Result<PowerPrecision, Unavailable> {
        guard source.problem == nil, let span, let unit, let power = watts.number, let period = source.period
        else { return .failure(Unavailable(source.problem ?? "the value never moved in the look")) }
        let wanted = max(Self.shortestBlock, Self.periodsInBlock * period)
        let count = min(Self.mostBlocks, Int(min(span.seconds / wanted, 1000)))
        guard count >= Self.fewestBlocks else {
            let needed = (Double(Self.fewestBlocks + 1) * wanted).rounded(.up)
            let remedy = needed <= Self.longestLook ? ": --seconds \(short(needed))" : ""
            return .failure(Unavailable("the look was too short for its update period" + remedy))
        }
        guard let powers = powers(of: span, in: count) else {
            return .failure(Unavailable("it could not be read throughout the look"))
        }
        let isCounter = source.counter != nil
        let step = isCounter ? unit : 0
        let length = span.seconds / Double(count)
        // A block's own rounding is no fluctuation of the power.
        let noise = max(0, (Moments.variance(powers) ?? 0) - step * step / (6 * length * length))
        return .success(
            PowerPrecision(
                step: step, rounding: isCounter ? 0 : unit, edge: max(0, power) * period, noise: noise,
                blocks: count, blockSeconds: length))
    }

    /// Mean power of equal parts of a stretch; nil where one of them has none.
    private func powers(of span: Span, in count: Int) -> [Double]? {
        let length = span.length.value / Int64(count)
        var powers: [Double] = []
        for index in 0..<count {
            let begin = span.begin + Nanoseconds(length * Int64(index))
            let block = Span(begin: begin, end: begin + Nanoseconds(length))
            guard case .success(let energy) = source.energy(over: [block], judged: false) else { return nil }
            powers.append(energy.joules / block.seconds)
        }
        return powers
    }
}
