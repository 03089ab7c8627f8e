import Analysis

/// `--since`: runs that began at a moment or later.
public struct Since: Sendable {
    private let text: String
    private let nanoseconds: Int64

    /// - Parameters:
    ///   - text: a date in UTC ("2026-11-30"), a moment ("2026-11-30T06:00:00Z", another zone too) or an age ("36h",
    ///     "7d", "90m").
    ///   - now: the wall clock, nanoseconds since 1970, from which an age counts back.
    /// - Throws: a usage `Failure` that says what is accepted.
    public init(_ text: String, now: Int64) throws(Failure) {
        self.text = text
        guard let found = Self.age(text).map({ now - $0 }) ?? Self.moment(text) else {
            throw Failure(
                thing: "--since \(text)", cause: "neither a date, a moment nor an age",
                remedy: "2026-11-30, 2026-11-30T06:00:00Z, 36h or 7d", exit: .usage)
        }
        nanoseconds = found
    }

    private static func age(_ text: String) -> Int64? {
        let units: [Character: Double] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let last = text.last, let unit = units[last], let number = Double(text.dropLast()),
            number >= 0, number * unit < 4e9
        else { return nil }
        return Int64(number * unit * 1e9)
    }

    private static func moment(_ text: String) -> Int64? {
        // A number of seconds would be read as a moment of 1970 when a year was meant.
        guard text.contains("-") else { return nil }
        return WallClock.nanoseconds(text) ?? WallClock.nanoseconds(text + "T00:00:00Z")
    }

    /// The runs that are meant, and what to tell of the others.
    func apply(_ runs: [Run]) -> (kept: [Run], note: String?) {
        var unknown = 0
        let kept = runs.filter { run in
            guard let began = WallClock.nanoseconds(run.digest.started) else {
                unknown += 1
                return false
            }
            return began >= nanoseconds
        }
        guard kept.count < runs.count else { return (kept, nil) }
        let why = unknown > 0 ? " (\(unknown) of them do not say when they began)" : ""
        return (kept, "\(runs.count - kept.count) of \(runs.count) runs left out by --since \(text)\(why)")
    }
}
