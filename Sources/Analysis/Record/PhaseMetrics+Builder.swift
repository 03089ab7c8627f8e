extension PhaseMetrics {
    /// - Parameter noTokens: why the phase has no tokens, when it has none.
    init(_ phase: PhaseSpans, rate: Figure, noTokens: String, energy: EnergyAccount) {
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
