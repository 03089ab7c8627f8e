extension EnergyAccount {
    /// What the first use of a build costs: cold load, first token and one cycle.
    ///
    /// - Parameter cycle: the whole cycles of the sustained part; one is their mean.
    public func firstUse(loadCold: PhaseSpans, firstToken: PhaseSpans, cycle: PhaseSpans) -> FirstUse {
        let parts = [("load_cold", loadCold), ("first_token", firstToken), ("cycle", cycle)]
        if let missing = parts.first(where: { $0.1.spans.isEmpty }) {
            return FirstUse(
                seconds: .unavailable("no \(missing.0) window"),
                joules: .unavailable("no \(missing.0) window"))
        }
        let count = Double(cycle.spans.count)
        let seconds = loadCold.seconds + firstToken.seconds + cycle.seconds / count
        let time = Figure.once(seconds, method: "cold load + first token + mean cycle")
        var energies: [EnergyEstimate] = []
        for (name, phase) in parts {
            switch ledger.energy(over: phase) {
            case .failure(let why):
                return FirstUse(seconds: time, joules: .unavailable("\(name): \(why.reason)"))
            case .success(let energy): energies.append(name == "cycle" ? energy.divided(by: count) : energy)
            }
        }
        return FirstUse(seconds: time, joules: EnergyEstimate.sum(energies).figure())
    }

    /// Whether the phases of a stretch sum to its whole.
    public struct Closure: Sendable, Hashable {
        public var partsJoules: Double
        public var wholeJoules: Double
        /// (parts - whole) / whole.
        public var difference: Double
        /// The difference is at most 0.5 %.
        public var holds: Bool
    }

    /// Compares the sum of phases with the energy of the stretch they fill, taken from its own two edges.
    ///
    /// Has a meaning for edge windows of a single stream only.
    ///
    /// - Parameter parts: phases that together fill `whole` without overlap.
    public func closure(parts: [PhaseSpans], whole: Span) -> Result<Closure, Unavailable> {
        var sum = 0.0
        for part in parts where !part.spans.isEmpty {
            switch ledger.energy(over: part) {
            case .failure(let why): return .failure(why)
            case .success(let energy): sum += energy.joules
            }
        }
        return ledger.energy(over: PhaseSpans(spans: [whole])).flatMap { total in
            guard total.joules > 0 else { return .failure(Unavailable("no energy in the stretch")) }
            let difference = (sum - total.joules) / total.joules
            return .success(
                Closure(
                    partsJoules: sum, wholeJoules: total.joules, difference: difference,
                    holds: abs(difference) <= 0.005))
        }
    }
}
