/// The sustained part minute by minute.
struct MinuteTable {
    /// Minutes beyond a week are not listed.
    private static let mostMinutes = 10_080
    /// Seconds at the end that have no row of their own: a run ends a token after its deadline.
    private static let sliver = 1.0

    private let part: SustainedPart
    private let energy: EnergyAccount
    private let temperatures: [(id: String, means: [Int: Double])]
    private let clocks: [(id: String, means: [Int: Double])]
    private let contention: ContentionLog

    init(
        _ part: SustainedPart, energy: EnergyAccount, temperatures: [ContextSeries], clocks: [ContextSeries],
        contention: ContentionLog
    ) {
        self.contention = contention
        self.part = part
        self.energy = energy
        self.temperatures = temperatures.map { ($0.source.id, $0.minuteMeans(since: part.start)) }
        self.clocks = clocks.map { ($0.source.id, $0.minuteMeans(since: part.start)) }
    }

    /// One row a minute from t = 0 to the last decode step; the last may be as short as a second.
    var rows: [Minute] {
        let count = min(Self.mostMinutes, Int(((part.end - Self.sliver) / 60).rounded(.up)))
        return (0..<max(0, count)).map(row)
    }

    private func row(_ minute: Int) -> Minute {
        let begin = Double(minute) * 60
        let end = min(begin + 60, part.end)
        let tally = part.steps.tally(from: begin, to: end)
        let method = "decode steps / decode seconds within \((end - begin).inTenths) s"
        let span = Span(
            begin: part.start + Nanoseconds(Seconds(begin)), end: part.start + Nanoseconds(Seconds(end)))
        let gross = energy.energyFigures(
            for: PhaseSpans(spans: [span], tokens: part.generated(after: begin, through: end))
        ).gross
        return Minute(
            minute: minute,
            tokensPerSecond: tally.rate.map { .once($0, method: method) }
                ?? .unavailable("no decode step in this minute"),
            watts: gross.watts, joulesPerToken: gross.joulesPerToken,
            temperature: Self.highest(temperatures, minute, missing: "no temperature was read"),
            clock: Self.highest(clocks, minute, missing: "no clock was read"),
            contention: contention.contention(in: span))
    }

    /// The mean of the source whose mean is highest: of several sensors or cores the one under load.
    private static func highest(
        _ series: [(id: String, means: [Int: Double])], _ minute: Int, missing: String
    ) -> Figure {
        let means = series.compactMap { entry in entry.means[minute].map { (entry.id, $0) } }
        guard let (id, mean) = means.max(by: { $0.1 < $1.1 }) else { return .unavailable(missing) }
        return Figure(
            mean, .unavailable(Unavailable("a minute's mean is given without an interval")),
            method: "mean of \(id)")
    }
}
