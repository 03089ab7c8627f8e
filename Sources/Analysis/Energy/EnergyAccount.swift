/// The energy figures of a run's phases: gross, above the idle machine, above the machine with the model.
public struct EnergyAccount: Sendable {
    public let ledger: EnergyLedger
    /// Power of the idle machine over the total's scopes.
    public let idle: Result<IdleBaseline, Unavailable>
    /// Power with the model resident and no work.
    public let loadedIdle: Result<IdleBaseline, Unavailable>

    /// - Parameters:
    ///   - idleBefore, idleAfter: nil where the run has none: `--idle 0`, or an interrupt.
    ///   - loadedIdle: empty where the model was never resident without work.
    ///   - contention: what other programs did during an idle window ("other programs used 1.02 cores in
    ///     idle_before"); nil when they were quiet. Every net figure then says that it is unreliable.
    public init(
        ledger: EnergyLedger, idleBefore: Span?, idleAfter: Span?, loadedIdle: PhaseSpans, contention: String? = nil
    ) {
        self.ledger = ledger
        idle = IdleBaseline.idle(ledger, before: idleBefore, after: idleAfter, contention: contention)
        self.loadedIdle = IdleBaseline.loaded(ledger, loadedIdle)
    }

    /// For the record.
    public var total: Total { ledger.total }

    /// The energy of one phase over the total's scopes, its part above either baseline, and all of them per
    /// token of the phase. `gross.bySource` has every energy source of the trace, also those beside the total.
    public func energyFigures(
        for phase: PhaseSpans
    ) -> (gross: EnergyFigures, net: EnergyFigures, netLoaded: EnergyFigures) {
        switch ledger.energy(over: phase) {
        case .failure(let why):
            var gross = EnergyFigures.unavailable(why.reason)
            gross.bySource = bySource(phase)
            return (gross, .unavailable(why.reason), .unavailable(why.reason))
        case .success(let energy):
            var gross = Self.figures(energy, phase, name: "energy")
            gross.bySource = bySource(phase)
            return (
                gross, Self.net(energy, above: idle, phase), Self.net(energy, above: loadedIdle, phase)
            )
        }
    }

    private func bySource(_ phase: PhaseSpans) -> [String: Figure] {
        var result: [String: Figure] = [:]
        for source in ledger.sources {
            switch source.energy(over: phase.spans) {
            case .success(let energy): result[source.line.id] = energy.figure()
            case .failure(let why): result[source.line.id] = .unavailable(why)
            }
        }
        return result
    }

    private static func net(
        _ energy: EnergyEstimate, above baseline: Result<IdleBaseline, Unavailable>, _ phase: PhaseSpans
    ) -> EnergyFigures {
        switch baseline {
        case .failure(let why): .unavailable(why.reason)
        case .success(let baseline): figures(energy.above(baseline, seconds: phase.seconds), phase, name: "net energy")
        }
    }

    private static func figures(_ energy: EnergyEstimate, _ phase: PhaseSpans, name: String) -> EnergyFigures {
        let tokens = phase.tokens.flatMap { $0 > 0 ? Double($0) : nil }
        let none = Figure.unavailable("no tokens in this phase")
        return EnergyFigures(
            joules: energy.figure(),
            watts: phase.seconds > 0 ? energy.figure(per: phase.seconds) : .unavailable("a window without length"),
            joulesPerToken: tokens.map { energy.figure(per: $0) } ?? none,
            tokensPerJoule: tokens.map { energy.inverse(times: $0, name: name) } ?? none)
    }
}

extension EnergyEstimate {
    /// What is left above a baseline; it may be negative.
    func above(_ baseline: IdleBaseline, seconds: Double) -> EnergyEstimate {
        let net = joules - baseline.watts * seconds
        let idle = baseline.half * seconds
        func wide(_ part: Double) -> Double { (part * part + idle * idle).squareRoot() }
        return EnergyEstimate(
            joules: net, low: net - wide(joules - low), high: net + wide(high - joules),
            method: "\(method), less \(baseline.method)")
    }

    /// `count` per joule, where the energy surely differs from 0.
    func inverse(times count: Double, name: String) -> Figure {
        guard low > 0 || high < 0 else {
            return .unavailable("the \(name) cannot be told from 0")
        }
        return Figure(count / joules, .bounds(low: count / high, high: count / low), method: method)
    }
}

extension Figure {
    /// The ratio of two net figures, where the interval of the divisor excludes 0.
    ///
    /// The bounds are those of the two intervals' corners: the widest the ratio can be.
    public static func ratio(_ dividend: Figure, to divisor: Figure) -> Figure {
        guard case .value(let above, let aboveInterval, let method) = dividend else { return dividend }
        guard case .value(let below, let belowInterval, _) = divisor else { return divisor }
        guard case .bounds(let low, let high) = belowInterval, low > 0 || high < 0 else {
            return .unavailable("the divisor cannot be told from 0")
        }
        guard case .bounds(let aboveLow, let aboveHigh) = aboveInterval else {
            return Figure(above / below, aboveInterval, method: method)
        }
        let corners = [aboveLow / low, aboveLow / high, aboveHigh / low, aboveHigh / high]
        return Figure(
            above / below, .bounds(low: corners.min() ?? .nan, high: corners.max() ?? .nan), method: method)
    }
}
