/// The power of each phase of the sustained part and the lag of the sensor, fitted to the steps of a counter
/// that is too slow to be read at the phases' edges.
///
/// A step's energy is the sum over phases of power x the seconds that the step spent in each. The seconds
/// depend on the lag, which is found with them as the one that leaves the least squares.
struct PhaseFit: Sendable {
    let timeline: CycleTimeline
    /// Watts by phase of the timeline.
    let powers: [Double]
    /// Seconds by which the counter shows energy late.
    let lag: Double
    /// The same in words, to a tenth of a millisecond: no lag is known better.
    var lagText: String { "lag \(short((lag * 1e4).rounded() / 1e4)) s" }
    let condition: Double
    let steps: Int
    /// How far the even cycles lie from what the odd ones predict: root mean square over the even cycles'
    /// energies, as a share of their mean.
    let checkError: Double
    /// Watts by which each cycle moved the powers from where they would be without it, to first order: cycle
    /// by cycle, phase by phase; sums over cycles are 0.
    let influence: [Double]
    /// Watts by which each phase's power may be off for reasons that no draw of cycles shows, 95 %: the gap's
    /// power was not seen, and steps whose stamps are unsure make phases look more alike than they are.
    let doubts: [Double]
    private let profile: LagProfile

    /// From this on the data do not tell what belongs to which phase.
    static let worstCondition = 30.0
    /// The seconds of a phase have to vary from step to step by so many times what their stamps are unsure
    /// by: at the limit a contrast of powers comes out 4 % too small.
    private static let leastVariation = 5.0
    private static let mostLagPeriods = 3.0
    private static let leastMostLag = 0.25
    private static let stepsAPhase = 8
    /// Of several streams every mixture of prefill and decode is a phase; what the fit keeps grows with their square.
    private static let mostPhases = 12
    /// A fit that is off by so much of a cycle's energy tells nothing of its parts.
    private static let worstCheckError = 0.5
    /// The power of the gap is expected at that of the idle machine with the model, within so much of the
    /// mean power to either side.
    private static let gapDoubt = 0.5

    /// - Parameters:
    ///   - loadedIdle: watts with the model resident and no work, where that is known.
    ///   - isVoid: whether nothing is known of a stretch.
    static func of(
        _ series: CounterSeries, _ moments: UpdateMoments, _ timeline: CycleTimeline, loadedIdle: Double?,
        isVoid: (Span) -> Bool
    ) -> Result<PhaseFit, Unavailable> {
        guard timeline.cycles >= CycleTimeline.fewestCycles else {
            return .failure(
                Unavailable("phases not separable: fewer than \(CycleTimeline.fewestCycles) cycles to fit"))
        }
        guard timeline.names.count <= mostPhases else {
            return .failure(
                Unavailable("phases not separable: \(timeline.names.count) kinds of them, over \(mostPhases)")
            )
        }
        let period = series.period?.seconds ?? 0
        // A lag of half a cycle would change the phases' places.
        let most = min(max(mostLagPeriods * period, leastMostLag), timeline.typicalCycle / 2)
        // An update may have come before the middle of the reads around it.
        let lead = Moments.mean(moments.halves) ?? 0
        let steps = CounterSteps(
            series, moments, cycles: timeline, margin: most, lead: lead, isVoid: isVoid)
        guard steps.count >= stepsAPhase * timeline.names.count, most > 0 else {
            return .failure(
                Unavailable("phases not separable: \(steps.count) steps of the counter are too few to fit"))
        }
        var profile = LagProfile(steps, timeline, least: -lead, most: most)
        profile.expectGap(steps, timeline, watts: loadedIdle, doubt: gapDoubt)
        guard let fit = profile.refined(steps, timeline) else {
            return .failure(
                refusal(steps, "depend on one another", "every step holds the same shares of the phases"))
        }
        if timeline.names.count > 1,
            let unvisited = EdgePlaces.unvisited(steps, timeline, lag: fit.lag)
        {
            return .failure(
                refusal(
                    steps, "are much the same in every cycle",
                    "\(unvisited.phase) never begins within \(short(unvisited.seconds)) s of it"))
        }
        return PhaseFit.judged(fit, profile, steps, timeline)
    }

    private static func judged(
        _ fit: LagProfile.Fit, _ profile: LagProfile, _ steps: CounterSteps, _ timeline: CycleTimeline
    ) -> Result<PhaseFit, Unavailable> {
        let sums = profile.whole(steps, timeline, lag: fit.lag)
        let condition = sums.condition
        guard condition <= worstCondition, let inverse = sums.inverse() else {
            let number = condition.isFinite ? short(condition) : "infinite"
            return .failure(
                refusal(
                    steps, "hardly vary against one another",
                    "condition number \(number), over \(short(worstCondition))"))
        }
        let gap = profile.prior?.column
        let mean = steps.joules.reduce(0, +) / (steps.meanLength * Double(steps.count))
        let residuals = FitResiduals(steps, timeline, powers: fit.powers, lag: fit.lag)
        let jitter = steps.jitter(
            steps.seconds(lag: fit.lag, timeline), phases: fit.powers.count, scatter: residuals.scatter / mean
        )
        var doubts: [Double] = []
        for column in fit.powers.indices {
            let variation = (1 / inverse[column][column] / Double(steps.count)).squareRoot()
            let unseen = profile.prior.map { abs(inverse[column][$0.column]) * $0.weight * $0.half } ?? 0
            let attenuation = jitter[column] * jitter[column] / variation / variation
            let flattened = min(1, attenuation) * abs(fit.powers[column] - mean)
            doubts.append((unseen * unseen + flattened * flattened).squareRoot())
            guard fit.powers.count > 1, column != gap else { continue }
            guard variation >= leastVariation * jitter[column] else {
                return .failure(
                    refusal(
                        steps, "do not vary enough against it",
                        "\(timeline.names[column]) by \(short(variation * 1000)) ms from step to step, and it "
                            + "is known to \(short(jitter[column] * 1000)) ms"))
            }
        }
        let checkError = FitResiduals.checkError(steps, timeline, profile)
        if let why = nonsense(fit, profile, timeline, checkError) {
            return .failure(Unavailable("phases not separable: \(why)"))
        }
        return .success(
            PhaseFit(
                timeline: timeline, powers: fit.powers, lag: fit.lag, condition: condition,
                steps: steps.count, checkError: checkError,
                influence: residuals.influence(least: profile.least, profile.prior),
                doubts: doubts, profile: profile))
    }

    /// Why what least squares found cannot be what happened; nil where it can.
    private static func nonsense(
        _ fit: LagProfile.Fit, _ profile: LagProfile, _ timeline: CycleTimeline, _ checkError: Double
    ) -> String? {
        let gap = profile.prior?.column
        if let column = fit.powers.indices.first(where: { $0 != gap && fit.powers[$0] < 0 }) {
            return "the power of \(timeline.names[column]) comes out below 0"
        }
        guard fit.lag < profile.most else {
            return "the counter shows energy later than \(short(profile.most)) s, or not by a lag at all"
        }
        guard checkError <= worstCheckError else {
            return "odd cycles do not tell even ones, they are \(short(100 * checkError)) % off"
        }
        return nil
    }

    private static func refusal(_ steps: CounterSteps, _ what: String, _ numbers: String) -> Unavailable {
        // What a run can do by itself it does: it reads as often as a tenth of a core allows and varies the gap.
        Unavailable(
            "phases not separable: the times in each phase within a step of the counter "
                + "(\(short(steps.meanLength)) s) \(what) (\(numbers)); longer phases (-p, -n), or a counter that "
                + "is renewed or can be read more often, would tell them apart")
    }

    /// Blocks as long as the phases of several fits together need them: by how the energy of each cycle in a
    /// phase differs from what all cycles would have it. The first and the last cycle may be cut.
    static func blocks(_ fits: [PhaseFit]) -> MovingBlocks? {
        guard let timeline = fits.first?.timeline, timeline.cycles > 2 else { return nil }
        let width = timeline.names.count
        let seconds = timeline.secondsByCycle
        let whole = 1..<timeline.cycles - 1
        var series = [[Double]](repeating: [Double](repeating: 0, count: timeline.cycles), count: width)
        for column in 0..<width {
            var sum = 0.0
            for cycle in whole { sum += seconds[cycle * width + column] }
            for cycle in whole {
                let longer = seconds[cycle * width + column] - sum / Double(whole.count)
                for fit in fits {
                    series[column][cycle] += fit.influence[cycle * width + column] * sum
                    series[column][cycle] += fit.powers[column] * longer
                }
            }
        }
        return MovingBlocks.longest(of: series)
    }

    /// The powers refitted with their lag to each draw of cycles: draw by draw, phase by phase; nil where a
    /// draw tells its phases not apart.
    func refitted(_ draws: BlockDraws) -> [Double]? {
        var result: [Double] = []
        result.reserveCapacity(draws.number * powers.count)
        for draw in 0..<draws.number {
            guard let fit = profile.fit(draws.counts(of: draw), near: lag) else { return nil }
            result += fit.powers
        }
        return result
    }
}
