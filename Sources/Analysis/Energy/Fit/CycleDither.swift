/// Whether the gap between cycles has to be varied for a slow counter, and by how much after each.
///
/// A counter whose steps always come at the same places of the cycle tells the sum of its phases and not the
/// phases: a cycle of 1.000 s on a counter that is renewed every second has the same energy in every step.
/// Random gaps let the steps come everywhere.
public struct CycleDither: Sendable, Hashable {
    /// True when without it the counter's steps would leave phases unseen.
    public let isNeeded: Bool
    private let updatePeriod: Seconds
    private let seed: UInt64

    /// A window that lasts so many update periods is read at its edges.
    private static let periodsInWindow = 20.0
    /// So many cycles are looked at; a run holds more than these.
    private static let cyclesSeen = 32
    private static let mostSteps = 4096
    /// Steps have to come this often within the shortest phase.
    private static let stepsInPhase = 2.0

    /// - Parameters:
    ///   - cycle: length of a cycle without a varied gap, as the warm-up showed it.
    ///   - shortestPhase: the shorter of prefill and decode.
    ///   - updatePeriod: of the slowest counter of the total.
    ///   - seed: of the run; the same seed gives the same gaps.
    public init(cycle: Seconds, shortestPhase: Seconds, updatePeriod: Seconds, seed: UInt64) {
        self.updatePeriod = updatePeriod
        self.seed = seed
        let isSlow = updatePeriod.value * Self.periodsInWindow > shortestPhase.value
        guard isSlow, cycle.value > 0, cycle.value.isFinite, updatePeriod.value.isFinite,
            shortestPhase.value > 0
        else {
            isNeeded = false
            return
        }
        isNeeded = Self.widestHole(cycle.value, updatePeriod.value) * Self.stepsInPhase > shortestPhase.value
    }

    /// The longest stretch of the cycle in which no step of the counter comes, over a number of cycles of
    /// exactly one length.
    private static func widestHole(_ cycle: Double, _ period: Double) -> Double {
        let steps = max(1, Int(min(Double(mostSteps), Double(cyclesSeen) * cycle / period)))
        let places = (0..<steps).map { step in
            let cycles = Double(step) * period / cycle
            return (cycles - cycles.rounded(.down)) * cycle
        }.sorted()
        let around = cycle - (places.last ?? 0) + (places.first ?? 0)
        return zip(places, places.dropFirst()).reduce(around) { max($0, $1.1 - $1.0) }
    }

    /// The gap to leave after a cycle, from 0 up to one update period; 0 where none is needed.
    public func gap(after cycle: Int) -> Seconds {
        guard isNeeded else { return .zero }
        var generator = SeededGenerator(
            seed: seed ^ (UInt64(bitPattern: Int64(cycle)) &* 0x9E37_79B9_7F4A_7C15))
        return Seconds(generator.unit() * updatePeriod.value)
    }
}
