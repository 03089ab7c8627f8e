/// When the rate left what it was at first, and whether decode at shallow context did too.
struct Droop: Sendable {
    /// Seconds since t = 0 after which the rate stays under 95, 90 and 50 % of burst.
    let onset: Figure
    let ninety: Figure
    let half: Figure
    let canary: DecodeCanary
    /// The onset, seconds since t = 0.
    var moment: Double? { onset.number }

    private static let share = 0.95

    init(_ part: Result<SustainedPart, Unavailable>, burst: ClosedRange<Double>?) {
        let decline: Result<RateDecline, Unavailable>
        switch part {
        case .failure(let why):
            decline = .failure(why)
            canary = .unavailable(why)
        case .success(let part):
            guard let burst else {
                let why = Unavailable("the run is too short: there is no burst to compare with")
                decline = .failure(why)
                canary = .unavailable(why)
                break
            }
            decline = RateDecline.of(part.series(after: burst.lowerBound), burstEnd: burst.upperBound)
            canary = DecodeCanary(
                part.shallowSeries(after: burst.lowerBound), burstEnd: burst.upperBound)
        }
        onset = Self.figure(decline, under: Self.share)
        ninety = Self.figure(decline, under: 0.9)
        half = Self.figure(decline, under: 0.5)
    }

    static func figure(_ decline: Result<RateDecline, Unavailable>, under share: Double) -> Figure {
        switch decline.flatMap({ $0.moment(under: share) }) {
        case .failure(let why): .unavailable(why)
        case .success(let found):
            Figure(
                found.time, .bounds(low: found.low, high: found.high),
                method: "change-point of the whole cycles' rates; "
                    + "\((found.kept.share * 100).inTenths) +- \((found.kept.half * 100).inTenths) % of burst kept after it"
            )
        }
    }
}
