/// Finds the moment after which a rate stays under a share of what it was at first.
///
/// Over the cycles after the ramp the best broken stick is fitted; the moment is where it crosses the share of
/// the first level. It counts only if the mean of all that follows lies under the share by more than the
/// scatter of the cycles explains, and if no later stretch is surely above it again.
struct RateDecline: Sendable {
    struct Found: Sendable, Hashable {
        /// Seconds since t = 0.
        var time: Double
        /// 95 % of the moment, by the residuals of all sticks that fit nearly as well as the best.
        var low: Double
        var high: Double
        var kept: Kept
    }

    /// Mean rate from a moment to the end as a share of the first level, with the interval that decides.
    struct Kept: Sendable, Hashable {
        var share: Double
        var half: Double
    }

    private enum Rule {
        static let fewestCycles = 8
        /// Standard errors that a mean must be off: the moment is chosen among many, so that the usual two
        /// would be passed by chance.
        static let standardErrors = 3.0
        /// What follows the moment lasts at least as long as a rolling rate's stretch.
        static let rest = (seconds: 10.0, cycles: 3)
        /// A stretch long enough to say that the rate came back.
        static let recovery = (seconds: 60.0, cycles: 8)
        /// The neighbourhood of a crossing that a second look takes: so far under it, seconds after it.
        static let depth = 0.15
        static let afterwards = 60.0
        static let looks = 4
        /// The 0.95 quantile of chi squared with one degree of freedom.
        static let chiSquared = 3.841
    }

    private let series: RateSeries
    private let burstEnd: Double
    private let blocks: [RateSeries.Block]
    private let fit: BrokenStick
    /// Standard deviation of a block's rate.
    private let deviation: Double
    /// How many blocks in a row count as one observation.
    private let correlation: Double
    /// Standard errors for a 95 % decision.
    private let factor: Double
    /// The first level and its standard error.
    private let reference: (rate: Double, error: Double)

    /// - Returns: why nothing can be said.
    static func of(_ series: RateSeries, burstEnd: Double) -> Result<RateDecline, Unavailable> {
        guard series.cycles.count >= Rule.fewestCycles else {
            return .failure(Unavailable("fewer than \(Rule.fewestCycles) cycles after the ramp"))
        }
        let blocks = series.blocks(from: series.begin, to: series.end)
        let plateau = blocks.count { $0.end <= burstEnd }
        guard let fit = BrokenStickFit(blocks).best(plateau: plateau),
            let factor = StudentT.twoSided95(degreesOfFreedom: blocks.count - 4)
        else { return .failure(Unavailable("no cycle after burst")) }
        return .success(
            RateDecline(series, blocks, fit, burstEnd: burstEnd, plateau: max(1, plateau), factor: factor))
    }

    private init(
        _ series: RateSeries, _ blocks: [RateSeries.Block], _ fit: BrokenStick, burstEnd: Double,
        plateau: Int, factor: Double
    ) {
        self.series = series
        self.blocks = blocks
        self.burstEnd = burstEnd
        self.fit = fit
        self.factor = factor / 1.96 * Rule.standardErrors
        deviation = (fit.residual / Double(blocks.count - 4)).squareRoot()
        let residuals = blocks.map { $0.rate - fit.rate(at: $0.middle) }
        correlation = Autocorrelation.time(residuals)
        // All that precedes the bend tells of the first level, unless burst itself was another.
        let first = Self.mean(blocks[..<plateau])
        let firstError = deviation * (correlation / Double(plateau)).squareRoot()
        let level = max(plateau, blocks.count { $0.end <= fit.bend })
        if abs(first - fit.before) <= Rule.standardErrors * firstError {
            reference = (fit.before, deviation * (correlation / Double(level)).squareRoot())
        } else {
            reference = (first, firstError)
        }
    }

    private static func mean(_ blocks: ArraySlice<RateSeries.Block>) -> Double {
        let seconds = blocks.reduce(0) { $0 + $1.seconds }
        return seconds > 0 ? blocks.reduce(0) { $0 + $1.steps } / seconds : 0
    }

    /// The moment after which the rate stays under `share` of the first level, or why there is none.
    func moment(under share: Double) -> Result<Found, Unavailable> {
        guard reference.rate > 0, let cycle = series.cycles.last else {
            return .failure(Unavailable("no rate"))
        }
        let level = share * reference.rate
        var stick = fit
        var begin = series.begin
        while true {
            guard let crossing = stick.crossing(of: level) else {
                return .failure(Unavailable("the rate does not stay under \(percent(share)) of burst"))
            }
            guard let back = recovery(after: crossing, above: level) else { break }
            let later = series.blocks(from: back, to: series.end)
            guard back > begin, later.count >= Rule.fewestCycles,
                let next = BrokenStickFit(later).best(plateau: 1)
            else { return .failure(Unavailable("the rate comes back above \(percent(share)) of burst")) }
            begin = back
            stick = next
        }
        guard let found = look(closer: stick, from: begin, level: level) else {
            return .failure(Unavailable("the rate does not stay under \(percent(share)) of burst"))
        }
        let rest = max(Rule.rest.seconds, Double(Rule.rest.cycles) * (cycle.end - cycle.begin))
        guard found.time + rest <= series.end, let kept = kept(from: found.time) else {
            return .failure(Unavailable("the rate fell in the last \(rest.inTenths) s only"))
        }
        guard kept.share + kept.half < share else {
            return .failure(
                Unavailable(
                    "from \(found.time.inTenths) s on \(percent(kept.share)) of the first rate were kept "
                        + "(+- \((kept.half * 100).inTenths)), which the scatter of the cycles explains"))
        }
        return .success(Found(time: found.time, low: found.low, high: found.high, kept: kept))
    }

    private func percent(_ share: Double) -> String {
        let text = (share * 100).inTenths
        return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " %"
    }

    /// Mean rate from a moment to the end against the first level.
    private func kept(from time: Double) -> Kept? {
        let rest = blocks[blocks.partitioningIndex { $0.middle >= time }...]
        let mean = Self.mean(rest)
        guard !rest.isEmpty, mean > 0 else { return nil }
        let error = deviation * (correlation / Double(rest.count)).squareRoot()
        let first = reference.error / reference.rate
        let share = mean / reference.rate
        return Kept(
            share: share, half: factor * share * (error * error / mean / mean + first * first).squareRoot())
    }

    /// The begin of the last stretch after a moment that is surely above a level.
    private func recovery(after time: Double, above level: Double) -> Double? {
        let first = blocks.partitioningIndex { $0.begin >= time }
        guard first < blocks.count else { return nil }
        let length = (blocks[blocks.count - 1].end - blocks[first].begin) / Double(blocks.count - first)
        let count = max(Rule.recovery.cycles, Int((min(1e6, Rule.recovery.seconds / length)).rounded(.up)))
        guard blocks.count - first >= count else { return nil }
        let error = deviation * (correlation / Double(count)).squareRoot()
        for start in stride(from: blocks.count - count, through: first, by: -1)
        where Self.mean(blocks[start..<(start + count)]) - factor * error > level {
            return blocks[start].begin
        }
        return nil
    }

    /// Fits again in the neighbourhood of a crossing, where a shape that is no broken stick comes close to
    /// one, until it stands still.
    private func look(
        closer stick: BrokenStick, from begin: Double, level: Double
    ) -> (time: Double, low: Double, high: Double)? {
        var stick = stick
        var end = series.end
        var blocks = series.blocks(from: begin, to: end)
        var plateau = blocks.count { $0.end <= burstEnd }
        for _ in 0..<Rule.looks {
            guard let crossing = stick.crossing(of: level) else { break }
            let under = stick.crossing(of: level - Rule.depth * reference.rate) ?? series.end
            let near = min(end, max(under, crossing + Rule.afterwards))
            guard near - begin < 0.8 * (end - begin) else { break }
            let closer = series.blocks(from: begin, to: near)
            let fewest = closer.count { $0.end <= burstEnd }
            guard closer.count >= Rule.fewestCycles, let next = BrokenStickFit(closer).best(plateau: fewest),
                next.crossing(of: level) != nil
            else { break }
            (stick, end, blocks, plateau) = (next, near, closer, fewest)
        }
        guard let time = stick.crossing(of: level) else { return nil }
        return interval(stick, time, blocks, plateau: plateau, level: level)
    }

    /// Every stick whose squared residuals exceed the best one's by no more than chance tells where the
    /// crossing may be, and neither is known better than a block.
    private func interval(
        _ stick: BrokenStick, _ time: Double, _ blocks: [RateSeries.Block], plateau: Int, level: Double
    ) -> (time: Double, low: Double, high: Double) {
        let variance = stick.residual / Double(max(1, blocks.count - 4))
        let most = stick.residual + variance * correlation * Rule.chiSquared
        var low = time
        var high = time
        BrokenStickFit(blocks).forEach(plateau: plateau) { other in
            guard other.residual <= most, let crossing = other.crossing(of: level) else { return }
            low = min(low, crossing)
            high = max(high, crossing)
        }
        let half = ((blocks.last?.end ?? 0) - (blocks.first?.begin ?? 0)) / Double(2 * max(1, blocks.count))
        // On a slope an error of the first level moves the crossing too.
        let fall = max(1e-9, stick.before - stick.after)
        let error = 1.96 * reference.error * level / reference.rate * (stick.settled - stick.bend) / fall
        func wide(_ part: Double) -> Double { half + (part * part + error * error).squareRoot() }
        return (time, time - wide(time - low), time + wide(high - time))
    }
}
