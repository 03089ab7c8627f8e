/// How fast the machine was at first, how fast it still is, and what it kept.
struct BurstAndSustained: Sendable {
    /// Shares of the definitions, seconds and whole cycles (docs/metrics.md).
    private enum Rule {
        static let longestRamp = 10.0
        static let burst = (seconds: 10.0, cycles: 3)
        static let sustained = (seconds: 60.0, cycles: 5)
        static let shortRun = (seconds: 20.0, cycles: 5)
        static let retainedCycles = 8
    }

    let burst: Figure
    let sustained: Figure
    let retained: Figure
    /// Seconds that `sustained` covers, when the run was too short for all of them.
    let shortRunSeconds: Double?
    /// The stretches of burst and of sustained, seconds since t = 0; nil where the run has no such stretch.
    let burstStretch: ClosedRange<Double>?
    let sustainedStretch: ClosedRange<Double>?

    /// - Parameters:
    ///   - asked: `--seconds`; the ramp is a tenth of it, at most 10 s.
    ///   - hotStart: why the start was not cool, when it was not.
    init(_ part: SustainedPart, asked: Double, hotStart: String?) {
        let ramp = min(Rule.longestRamp, max(0, asked / 10))
        let few = part.whole.count < Rule.retainedCycles ? "fewer than \(Rule.retainedCycles) cycles" : nil
        guard let burstEnd = Self.burstEnd(part, ramp: ramp) else {
            let why = "the run is too short: burst takes 10 s and 3 whole cycles after the ramp"
            burst = .unavailable(why)
            sustained = .unavailable(why)
            retained = .unavailable(few ?? why)
            shortRunSeconds = nil
            burstStretch = nil
            sustainedStretch = nil
            return
        }
        burstStretch = ramp...burstEnd
        let first = Stretch(part, from: ramp, to: burstEnd)
        burst = first.figure(note: nil)
        guard let begin = Self.sustainedBegin(part, burstEnd: burstEnd) else {
            let why = "the run is too short: sustained takes 20 s and 5 whole cycles after burst"
            sustained = .unavailable(why)
            retained = .unavailable(few ?? why)
            shortRunSeconds = nil
            sustainedStretch = nil
            return
        }
        sustainedStretch = begin.time...max(begin.time, part.end)
        let last = Stretch(part, from: begin.time, to: part.end)
        sustained = last.figure(note: begin.short ? "short run" : nil)
        shortRunSeconds = begin.short ? part.end - begin.time : nil
        let short = "short run: sustained covers less than 60 s and 5 cycles after burst"
        if let objection = few ?? (begin.short ? short : hotStart.map { "the start was not cool: \($0)" }) {
            retained = .unavailable(objection)
        } else {
            retained = Self.quotient(last, first, sustained, burst)
        }
    }

    private static func burstEnd(_ part: SustainedPart, ramp: Double) -> Double? {
        let after = part.whole.filter { part.submit($0) >= ramp }
        guard after.count >= Rule.burst.cycles else { return nil }
        let end = max(ramp + Rule.burst.seconds, part.cycleEnd(after[Rule.burst.cycles - 1]))
        return end <= part.end ? end : nil
    }

    private static func sustainedBegin(
        _ part: SustainedPart, burstEnd: Double
    ) -> (time: Double, short: Bool)? {
        guard part.whole.count >= Rule.sustained.cycles else { return nil }
        let fifthLast = part.whole[part.whole.count - Rule.sustained.cycles]
        let begin = min(part.end - Rule.sustained.seconds, part.submit(fifthLast))
        if begin >= burstEnd { return (begin, false) }
        let left = part.wholeCycles(from: burstEnd, to: part.end).count
        guard part.end - burstEnd >= Rule.shortRun.seconds, left >= Rule.shortRun.cycles else { return nil }
        return (burstEnd, true)
    }

    private static func quotient(
        _ last: Stretch, _ first: Stretch, _ sustained: Figure, _ burst: Figure
    ) -> Figure {
        guard let above = sustained.number, let below = burst.number, below > 0 else {
            return .unavailable(sustained.reason ?? burst.reason ?? "burst is 0")
        }
        let interval: Interval
        switch (last.halfWidth, first.halfWidth) {
        case (.success(let one), .success(let other)):
            interval = RatioSpread.interval(
                around: above / below, .success((one * one + other * other).squareRoot()))
        case (.failure(let why), _): interval = .unavailable(Unavailable("sustained: \(why.reason)"))
        case (_, .failure(let why)): interval = .unavailable(Unavailable("burst: \(why.reason)"))
        }
        return Figure(above / below, interval, method: "sustained / burst, spreads in quadrature")
    }
}

/// A stretch of the sustained part with its rate.
private struct Stretch {
    let begin: Double
    let end: Double
    let tally: DecodeSteps.Tally
    /// Of seconds per step over the whole cycles inside, as a share.
    let halfWidth: Result<Double, Unavailable>
    let unadjusted: Unavailable?

    init(_ part: SustainedPart, from begin: Double, to end: Double) {
        self.begin = begin
        self.end = end
        tally = part.steps.tally(from: begin, to: end)
        unadjusted = part.steps.unadjusted
        let cycles = part.wholeCycles(from: begin, to: end).compactMap { part.steps.entries[$0] }
        halfWidth = RatioSpread.relativeHalfWidth(
            cycles.map { range in
                let cycle = part.steps.tally(entries: range)
                return (y: cycle.adjustedSeconds, x: Double(cycle.steps))
            })
    }

    func figure(note: String?) -> Figure {
        guard let rate = tally.adjustedRate else { return .unavailable("no decode step in the stretch") }
        let depth = unadjusted.map { "not depth-adjusted (\($0.reason))" } ?? "depth-adjusted"
        let method =
            "\(note.map { $0 + ": " } ?? "")decode steps / decode seconds from \(begin.inTenths) s to "
            + "\(end.inTenths) s, \(depth); t interval over blocks of the whole cycles inside"
        return Figure(rate, RatioSpread.interval(around: rate, halfWidth), method: method)
    }
}
