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
        ledger: EnergyLedger, idleBefore: Span?, idleAfter: Span?, loadedIdle: PhaseSpans,
        contention: String? = nil
    ) {
        self.ledger = ledger
        idle = IdleBaseline.idle(ledger, before: idleBefore, after: idleAfter, contention: contention)
        self.loadedIdle = IdleBaseline.loaded(ledger, loadedIdle)
    }

    /// For the record.
    public var total: Total { ledger.total }

    /// What the conditions say of other programs during the idle windows, as `contention` wants it: nil when
    /// they were quiet.
    public static func contention(in conditions: [ConditionsLine]) -> String? {
        conditions.lazy.flatMap(\.checks).first { $0.name == "other_load" && $0.verdict == .fail }?.seen
    }

    /// The energy of one phase over the total's scopes, its part above either baseline, and all of them per
    /// token of the phase. `gross.bySource` has every energy source of the trace, also those beside the
    /// total.
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
            var net = Self.net(energy, above: idle, phase)
            var netLoaded = Self.net(energy, above: loadedIdle, phase)
            let accuracy = ledger.sensorAccuracy
            gross.sensorAccuracy = accuracy
            if net.joules.number != nil { net.sensorAccuracy = accuracy }
            if netLoaded.joules.number != nil { netLoaded.sensorAccuracy = accuracy }
            return (gross, net, netLoaded)
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
        case .success(let baseline): figures(energy.above(baseline, phase.spans), phase, name: "net energy")
        }
    }

    /// - Parameter name: what it is called when it cannot be told from 0.
    private static func figures(_ energy: EnergyEstimate, _ phase: PhaseSpans, name: String) -> EnergyFigures
    {
        let lengths = phase.spans.map(\.seconds)
        guard let tokens = phase.tokens, tokens > 0 else {
            let none = Figure.unavailable("no tokens in this phase")
            return EnergyFigures(
                joules: energy.figure(), watts: energy.figure(per: phase.seconds), joulesPerToken: none,
                tokensPerJoule: none)
        }
        // Whole cycles of one protocol have the same number of tokens each.
        let each = Double(tokens) / Double(lengths.count)
        let perToken = energy.figure(perWindow: lengths.map { _ in each })
        let isNothing = energy.low <= 0 && energy.high >= 0
        return EnergyFigures(
            joules: energy.figure(),
            watts: lengths.count > 1 ? energy.figure(perWindow: lengths) : energy.figure(per: phase.seconds),
            joulesPerToken: perToken,
            tokensPerJoule: isNothing
                ? .unavailable("the \(name) cannot be told from 0") : perToken.inverse(name: name))
    }
}

extension Figure {
    /// 1 / value, where the value surely differs from 0.
    func inverse(name: String) -> Figure {
        guard case .value(let value, let interval, let method) = self else { return self }
        switch interval {
        case .bounds(let low, let high) where low > 0 || high < 0:
            return Figure(1 / value, .bounds(low: 1 / high, high: 1 / low), method: method)
        case .unavailable where value > 0: return Figure(1 / value, interval, method: method)
        default: return .unavailable("the \(name) cannot be told from 0")
        }
    }

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
