/// Where the energy figures of a phase come from: the one joint between windows and energy.
struct EnergySeam: Sendable {
    private static let reason = "no energy source yet read"

    /// - Parameters:
    ///   - idle: spans of the idle machine, before and after; the baseline of `net`.
    ///   - loadedIdle: spans with the model resident and no work; the baseline of `net_loaded`.
    init(trace: Trace, idle: PhaseSpans, loadedIdle: PhaseSpans) {}

    /// The energy of one phase over the total's scopes, its parts above either baseline, and all of them per
    /// token of the phase.
    func energyFigures(
        for phase: PhaseSpans
    ) -> (gross: EnergyFigures, net: EnergyFigures, netLoaded: EnergyFigures) {
        (.unavailable(Self.reason), .unavailable(Self.reason), .unavailable(Self.reason))
    }

    /// What unwrapping a source's counter found.
    struct Counted: Sendable {
        var updatePeriodSeconds: Figure
        var wraps = 0
        var resets = 0
        var voidIntervals: [SourceSummary.VoidInterval] = []
    }

    func counted(_ source: SourceLine) -> Counted {
        Counted(
            updatePeriodSeconds: .unavailable(
                source.quantity == .energy ? Self.reason : "estimated for energy sources only"))
    }

    /// The set of scopes whose sum is the energy of the run.
    var total: Total { Total(includes: [], excludes: [], unavailable: Self.reason) }
}
