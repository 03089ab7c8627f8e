import Analysis

/// How long the quads of a session take, and how many are made.
struct ComparePlan: Sendable {
    /// What one arm takes for a turn.
    struct Arm: Sendable {
        var generation: Seconds
        /// A load and the unload before it, where each turn needs one; else 0.
        var loading: Seconds
    }

    var reference: Arm
    var others: [Arm]
    var leastBlock: Seconds
    var leastCycles: Int

    /// No verdict rests on fewer quads.
    static let fewestQuads = PairedEffect.fewestQuads
    /// No block has fewer cycles.
    static let cyclesOfBlock = 3
    /// Update periods of the slowest counter in a block: its edges are then within 5 % of a period each.
    static let periodsOfBlock = 20.0

    /// One quad of each variant.
    var round: Seconds {
        others.reduce(.zero) { sum, arm in
            // Three turns: reference, variant, reference; each with a generation that is discarded.
            let turns = 2 * turn(reference).value + turn(arm).value
            return sum + Seconds(turns + 2 * block(reference).value + 2 * block(arm).value)
        }
    }

    private func turn(_ arm: Arm) -> Seconds { arm.generation + arm.loading }

    private func block(_ arm: Arm) -> Seconds {
        guard arm.generation.value > 0 else { return leastBlock }
        let cycles = max(Double(leastCycles), (leastBlock.value / arm.generation.value).rounded(.up))
        return Seconds(cycles * arm.generation.value)
    }

    /// Quads that fit into a time; never fewer than a verdict needs.
    func quads(within time: Seconds) -> Int {
        guard round.value > 0 else { return Self.fewestQuads }
        let fitting = (time.value / round.value).rounded(.down)
        return max(Self.fewestQuads, Int(min(max(fitting, 0), 100_000)))
    }

    /// The shortest block for a counter that is renewed this often, a little more than it takes.
    static func leastBlock(period: Seconds?) -> Seconds { (period ?? .zero) * (1.02 * periodsOfBlock) }

    /// Whether all variants may be in memory together, and why.
    ///
    /// - Parameter fits: of every variant; nil where nothing tells.
    static func residency(_ fits: [FitReport?]) -> (resident: Bool, why: String) {
        let known = fits.compactMap(\.self)
        guard known.count == fits.count, known.allSatisfy({ $0.status == .fits }) else {
            return (true, "nothing tells how much all variants need together: they are kept in memory")
        }
        for gate in [\FitReport.newAllocation, \FitReport.wholeSet] {
            let gates = known.compactMap { $0[keyPath: gate] }
            let need = gates.reduce(UInt64(0)) { sum, one in
                let (total, overflow) = sum.addingReportingOverflow(one.needBytes)
                return overflow ? .max : total
            }
            guard let allowed = gates.map(\.allowedBytes).min(), need > allowed else { continue }
            return (
                false, "all variants need \(need >> 20) MiB together, \(allowed >> 20) MiB are allowed"
            )
        }
        return (true, "all variants fit into memory together")
    }
}
