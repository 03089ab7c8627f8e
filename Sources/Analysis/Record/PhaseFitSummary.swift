/// How the phases of a slow counter were fitted.
public struct PhaseFitSummary: Sendable, Hashable, Codable {
    /// By how much the counter shows energy late, seconds.
    public var lagSeconds: Double
    /// Watts by phase: "prefill", "decode", "gap".
    public var watts: [String: Double]
    /// Steps of the counter and cycles of the run that were fitted.
    public var steps: Int
    public var cycles: Int
    /// Of the seconds in each phase, columns scaled to length 1; over 30 the fit is refused.
    public var conditionNumber: Double
    /// Odd cycles fitted, even ones predicted: root mean square of the error over the even cycles, as a share of
    /// their mean energy.
    public var oddEvenError: Maybe<Double>
    /// Cycles in a block of the bootstrap; nil where no figure of this source comes from the fit.
    public var blockCycles: Int?

    enum CodingKeys: String, CodingKey {
        case watts, steps, cycles
        case lagSeconds = "lag_s"
        case conditionNumber = "condition_number"
        case oddEvenError = "odd_even_error"
        case blockCycles = "block_cycles"
    }
}

extension PhaseFitSummary {
    init(_ fit: PhaseFit, blocks: MovingBlocks?) {
        lagSeconds = fit.lag
        watts = Dictionary(zip(fit.timeline.names, fit.powers)) { first, _ in first }
        steps = fit.steps
        cycles = fit.timeline.cycles
        conditionNumber = fit.condition
        oddEvenError = Maybe(
            fit.checkError.isFinite ? fit.checkError : nil,
            else: "the odd cycles do not tell the phases apart")
        blockCycles = blocks?.length
    }
}
