/// What is said of a command too short for a source: the rule, and the flag that helps.
///
/// One run is measurable where a counter renews its value 20 times in it, and a gauge three times what it
/// averages over. Of a slow counter the sum over runs that follow one another is known although a single run
/// is not, because the energy that an edge takes from one run it gives to the next: it is given where its
/// bounds lie within 5 % of it (docs/metrics.md, "Measure").
struct ShortCommandRule {
    let runs: [Span]
    /// One source, or those of the total.
    let sources: [EnergySource]

    /// What the two outer edges of the sum leave open, at most: so much of the time between reads, in which a
    /// renewal is seen, and of the period, whose energy two powers share (`EdgeSum`, docs/metrics.md).
    private static let readsOpen = 1.3
    private static let periodsOpen = 0.5
    /// Between two runs nothing is known of the power for about this long, seconds: of runs shorter than 20 of
    /// it not even the sum is known.
    private static let startOfProcess = 0.002
    private static let mostRepetitions = 100_000.0
    private static let reserve = 1.25

    /// - Parameter energy: the energy of the runs, judged or not.
    func apply(
        _ energy: (_ judged: Bool) -> Result<EnergyEstimate, Unavailable>
    ) -> Result<EnergyEstimate, Unavailable> {
        let judged = energy(true)
        guard case .failure = judged, case .success(let sum) = energy(false), let advice = advice(sum) else {
            return judged
        }
        return .failure(Unavailable(advice))
    }

    /// - Parameter sum: of the runs that there were, too uncertain as it is.
    private func advice(_ sum: EnergyEstimate) -> String? {
        let lengths = runs.map(\.seconds).sorted()
        guard !lengths.isEmpty else { return nil }
        let typical = lengths[lengths.count / 2]
        let slow = sources.filter { $0.shortestWindow > typical && $0.shortestWindow.isFinite }
        guard let slowest = slow.max(by: { $0.shortestWindow < $1.shortestWindow }) else { return nil }
        let period = slowest.nominalPeriod
        let needed = "it takes a command of \(short(slowest.shortestWindow)) s or more"
        if slowest.gauge != nil {
            let told = slowest.shortestWindow / EnergySource.spansInWindow
            return "the command runs \(short(typical)) s and the value tells of the last \(short(told)) s: "
                + needed
        }
        let rule =
            "the command runs \(short(typical)) s and the value is renewed every \(short(period)) s, "
            + "less than 20 times: "
        var wanted = slow.map { repetitions($0, of: typical) }.max() ?? .infinity
        if wanted <= Double(runs.count), sum.joules > 0 {
            // On a busy machine reads are late: what the edges left open tells how many more it takes.
            let share = sum.half / sum.joules
            wanted = (Self.reserve * Double(runs.count) * share / EnergySource.acceptedShare).rounded(.up)
        }
        let isOfUse = wanted > Double(runs.count) && wanted <= Self.mostRepetitions
        guard isOfUse, slow.allSatisfy({ $0.gauge == nil }) else { return rule + needed }
        return rule + "--repeat \(Int(wanted)) measures so many runs together"
    }

    /// How many runs of this length in a row make the sum known to within 5 %. The two outer edges leave open
    /// what they do however many runs lie between them; each time between two runs what was drawn in it.
    private func repetitions(_ source: EnergySource, of length: Double) -> Double {
        let reads = Nanoseconds(source.line.intervalNanoseconds).seconds.value
        let period = source.nominalPeriod
        let open = Self.readsOpen * min(reads, period) + Self.periodsOpen * period
        let allowed = EnergySource.acceptedShare * length - Self.startOfProcess
        return allowed > 0 ? (open / allowed).rounded(.up) : .infinity
    }
}
