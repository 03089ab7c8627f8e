/// Decode at shallow context as a thermometer: it hardly depends on the clock until the machine is warm, so
/// that a rate under 95 % of its settled floor says warm, whatever the thermal state says.
public struct DecodeCanary: Sendable, Hashable, Codable {
    /// Decode steps per second over the first quarter of the steps of the cycles in burst: the settled floor.
    public var floor: Figure
    /// The same over the last of the run, as a share of the floor.
    public var kept: Figure
    /// Seconds since t = 0 after which the shallow rate stays under 95 % of its floor.
    public var warmFromSeconds: Figure

    public init(floor: Figure, kept: Figure, warmFromSeconds: Figure) {
        self.floor = floor
        self.kept = kept
        self.warmFromSeconds = warmFromSeconds
    }

    enum CodingKeys: String, CodingKey {
        case floor, kept
        case warmFromSeconds = "warm_from_seconds"
    }

    static func unavailable(_ why: Unavailable) -> DecodeCanary {
        DecodeCanary(floor: .unavailable(why), kept: .unavailable(why), warmFromSeconds: .unavailable(why))
    }
}

extension DecodeCanary {
    private static let share = 0.95
    /// The end of the run: as long as a rolling rate's stretch.
    private static let last = (seconds: 10.0, cycles: 3)

    /// - Parameters:
    ///   - series: of the shallow rate after the ramp; nil where the engine sends no token stamps.
    ///   - burstEnd: where the settled stretch ends, seconds since t = 0.
    init(_ series: RateSeries?, burstEnd: Double) {
        guard let series else {
            self = .unavailable(Unavailable("some cycles have no token stamps"))
            return
        }
        let settled = series.cycles.prefix { $0.end <= burstEnd }
        let position = min(
            series.cycles.count - Self.last.cycles,
            series.cycles.partitioningIndex { $0.begin > series.end - Self.last.seconds })
        guard !settled.isEmpty, position >= settled.count else {
            self = .unavailable(Unavailable("the run is too short: no cycles after burst"))
            return
        }
        let shallow = "steps / seconds of the first quarter of the decode steps"
        let floor = Self.rate(settled)
        self.init(
            floor: Figure(floor, Self.spread(settled), method: "\(shallow) of the cycles in burst"),
            kept: .once(
                Self.rate(series.cycles[position...]) / floor,
                method: "\(shallow) of the last \(series.cycles.count - position) cycles / floor"),
            warmFromSeconds: Droop.figure(RateDecline.of(series, burstEnd: burstEnd), under: Self.share))
    }

    private static func rate(_ cycles: ArraySlice<RateSeries.Block>) -> Double {
        cycles.reduce(0) { $0 + $1.steps } / cycles.reduce(0) { $0 + $1.seconds }
    }

    private static func spread(_ cycles: ArraySlice<RateSeries.Block>) -> Interval {
        RatioSpread.interval(
            around: rate(cycles),
            RatioSpread.relativeHalfWidth(cycles.map { (y: $0.seconds, x: $0.steps) }))
    }
}
