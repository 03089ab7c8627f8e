extension PhaseMetrics {
    /// - Parameter noTokens: why the phase has no tokens, when it has none.
    init(_ phase: PhaseSpans, rate: Figure, noTokens: String, energy: EnergySeam) {
        let figures = energy.energyFigures(for: phase)
        self.init(
            seconds: .known(phase.seconds), tokens: Maybe(phase.tokens, else: noTokens),
            tokensPerSecond: rate,
            gross: figures.gross, net: figures.net, netLoaded: figures.netLoaded)
    }

    /// A phase that the run does not have.
    static func unavailable(_ reason: String) -> PhaseMetrics {
        let energy = EnergyFigures.unavailable(reason)
        return PhaseMetrics(
            seconds: .unavailable(reason), tokens: .unavailable(reason),
            tokensPerSecond: .unavailable(reason),
            gross: energy, net: energy, netLoaded: energy)
    }
}

extension FirstUse {
    /// Cold load + first token + one cycle: the mean of the whole cycles stands for the one.
    init(cold: PhaseMetrics, firstToken: PhaseMetrics, cycle: PhaseMetrics, cycles: Int) {
        let method = "cold load + first token + mean of \(cycles) whole cycles"
        func sum(_ cold: Double?, _ first: Double?, _ cycle: Double?, _ reason: String?) -> Figure {
            guard let cold, let first, let cycle, cycles > 0 else {
                return .unavailable(reason ?? "no whole cycle")
            }
            return .once(cold + first + cycle / Double(cycles), method: method)
        }
        let seconds = [cold.seconds, firstToken.seconds, cycle.seconds]
        let joules = [cold.gross.joules, firstToken.gross.joules, cycle.gross.joules]
        self.init(
            seconds: sum(
                seconds[0].value, seconds[1].value, seconds[2].value, seconds.lazy.compactMap(\.reason).first),
            joules: sum(
                joules[0].number, joules[1].number, joules[2].number, joules.lazy.compactMap(\.reason).first))
    }
}

extension Timeline {
    /// Share of the sustained part that lies inside prefill or decode windows: from t = 0 to the end of the
    /// part, or to the last edge of a phase where its end mark is missing.
    var busyShare: Figure {
        let generations = generations(of: .sustained)
        let spans = generations.flatMap { [$0.prefill, $0.decode].compactMap(\.self) }
        let marked = parts.last { $0.part == .sustained && $0.whole }?.span.end
        guard let sustainedStart, let end = marked ?? spans.map(\.end).max() else {
            return .unavailable("the run ended before its sustained part")
        }
        let length = (end - sustainedStart).seconds.value
        guard length > 0 else { return .unavailable("the sustained part has no length") }
        return .once(
            PhaseSpans(spans: spans).seconds / length,
            method: "seconds in prefill and decode / seconds from t = 0")
    }
}
