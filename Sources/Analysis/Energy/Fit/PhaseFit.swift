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
    let condition: Double
    let steps: Int
    /// How far the even cycles lie from what the odd ones predict: root mean square over the even cycles'
    /// energies, as a share of their mean.
    let checkError: Double
    /// Watts by which each cycle moved the powers from where they would be without it, to first order: cycle
    /// by cycle, phase by phase; sums over cycles are 0.
    let influence: [Double]
    private let profile: LagProfile

    /// From this on the data do not tell what belongs to which phase.
    static let worstCondition = 30.0
    /// The seconds of a phase have to vary from step to step by so many times what their stamps are unsure
    /// by: at the limit a contrast of powers comes out 4 % too small.
    private static let leastVariation = 5.0
    private static let mostLagPeriods = 3.0
    private static let leastMostLag = 0.25
    private static let stepsAPhase = 8

    /// - Parameter isVoid: whether nothing is known of a stretch.
    static func of(
        _ series: CounterSeries, _ moments: UpdateMoments, _ timeline: CycleTimeline, isVoid: (Span) -> Bool
    ) -> Result<PhaseFit, Unavailable> {
        guard timeline.cycles >= CycleTimeline.fewestCycles else {
            return .failure(
                Unavailable("phases not separable: fewer than \(CycleTimeline.fewestCycles) cycles to fit"))
        }
        let period = series.period?.seconds ?? 0
        // A lag of half a cycle would change the phases' places.
        let most = min(max(mostLagPeriods * period, leastMostLag), timeline.typicalCycle / 2)
        let steps = CounterSteps(series, moments, cycles: timeline, margin: most, isVoid: isVoid)
        guard steps.count >= stepsAPhase * timeline.names.count, most > 0 else {
            return .failure(
                Unavailable("phases not separable: \(steps.count) steps of the counter are too few to fit"))
        }
        let profile = LagProfile(steps, timeline, most: most)
        let all = [Double](repeating: 1, count: timeline.cycles)
        guard let fit = profile.fit(all[...]) else {
            return .failure(refusal(steps, "depend on one another", "a step holds the same shares of all phases"))
        }
        return PhaseFit.judged(fit, profile, steps, timeline)
    }

    private static func judged(
        _ fit: LagProfile.Fit, _ profile: LagProfile, _ steps: CounterSteps, _ timeline: CycleTimeline
    ) -> Result<PhaseFit, Unavailable> {
        let columns = timeline.names.count
        var sums = NormalEquations(columns: columns)
        let byCycle = LagProfile.equations(steps, timeline, lag: fit.lag)
        for (index, value) in byCycle.enumerated() { sums.sums[index % sums.sums.count] += value }
        let condition = sums.condition
        guard condition <= worstCondition, let inverse = sums.inverse(), let solution = sums.solution() else {
            let number = condition.isFinite ? short(condition) : "infinite"
            return .failure(
                refusal(
                    steps, "hardly vary against one another",
                    "condition number \(number), over \(short(worstCondition))"))
        }
        for column in 0..<columns where columns > 1 {
            let variation = (1 / inverse[column][column] / Double(steps.count)).squareRoot()
            guard variation >= leastVariation * steps.jitter else {
                return .failure(
                    refusal(
                        steps, "do not vary enough against it",
                        "\(timeline.names[column]) by \(short(variation * 1000)) ms from step to step, and a step "
                            + "is known to \(short(steps.jitter * 1000)) ms"))
            }
        }
        let residuals = FitResiduals(steps, timeline, powers: solution.coefficients, lag: fit.lag)
        return .success(
            PhaseFit(
                timeline: timeline, powers: solution.coefficients, lag: fit.lag, condition: condition,
                steps: steps.count,
                checkError: FitResiduals.checkError(steps, timeline, profile),
                influence: residuals.influence(isLagFree: fit.lag > 0), profile: profile))
    }

    private static func refusal(_ steps: CounterSteps, _ what: String, _ numbers: String) -> Unavailable {
        Unavailable(
            "phases not separable: the times in each phase within a step of the counter "
                + "(\(short(steps.meanLength)) s) \(what) (\(numbers)); read the counter 10 times as often as it "
                + "moves, and let cycles differ from a multiple of its period by other lengths or a varied gap")
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
            guard let fit = profile.fit(draws.counts(of: draw)) else { return nil }
            result += fit.powers
        }
        return result
    }
}

/// What a fit leaves over, step by step.
struct FitResiduals {
    private let steps: CounterSteps
    private let timeline: CycleTimeline
    private let powers: [Double]
    private let lag: Double
    private let seconds: [Double]

    init(_ steps: CounterSteps, _ timeline: CycleTimeline, powers: [Double], lag: Double) {
        self.steps = steps
        self.timeline = timeline
        self.powers = powers
        self.lag = lag
        seconds = steps.seconds(lag: lag, timeline)
    }

    private func predicted(_ index: Int) -> Double {
        var sum = 0.0
        for (column, power) in powers.enumerated() { sum += power * seconds[index * powers.count + column] }
        return sum
    }

    /// The infinitesimal jackknife by cycle (Efron 1982, "The jackknife, the bootstrap and other resampling
    /// plans", chapter 6), with the lag among what is fitted.
    ///
    /// - Parameter isLagFree: false where the lag stands at its bound.
    func influence(isLagFree: Bool) -> [Double] {
        let width = powers.count + (isLagFree ? 1 : 0)
        let slopes = isLagFree ? lagSlopes() : []
        var equations = NormalEquations(columns: width)
        var scores = [Double](repeating: 0, count: timeline.cycles * width)
        for index in 0..<steps.count {
            let weight = steps.weight(index)
            let score = weight * (steps.joules[index] - predicted(index))
            var row = Array(seconds[index * powers.count..<(index + 1) * powers.count])
            if isLagFree { row.append(slopes[index]) }
            for left in 0..<width {
                scores[steps.cycles[index] * width + left] += score * row[left]
                for right in 0...left {
                    equations.sums[NormalEquations.position(left, right)] += weight * row[left] * row[right]
                }
            }
        }
        guard let inverse = equations.inverse() else {
            return isLagFree ? influence(isLagFree: false) : []
        }
        var result = [Double](repeating: 0, count: timeline.cycles * powers.count)
        for cycle in 0..<timeline.cycles {
            for column in powers.indices {
                for inner in 0..<width {
                    result[cycle * powers.count + column] += inverse[column][inner] * scores[cycle * width + inner]
                }
            }
        }
        return result
    }

    /// By how much a step's prediction grows with the lag, joules a second.
    private func lagSlopes() -> [Double] {
        let distance = min(steps.meanLength / 100, lag)
        let later = FitResiduals(steps, timeline, powers: powers, lag: lag + distance)
        let earlier = FitResiduals(steps, timeline, powers: powers, lag: lag - distance)
        return (0..<steps.count).map { (later.predicted($0) - earlier.predicted($0)) / (2 * distance) }
    }

    /// Odd cycles fitted, even ones predicted: see `PhaseFit.checkError`.
    static func checkError(_ steps: CounterSteps, _ timeline: CycleTimeline, _ profile: LagProfile) -> Double {
        let odd = (0..<timeline.cycles).map { $0.isMultiple(of: 2) ? 0.0 : 1 }
        guard let fit = profile.fit(odd[...]) else { return .nan }
        let residuals = FitResiduals(steps, timeline, powers: fit.powers, lag: fit.lag)
        var counted = [Double](repeating: 0, count: timeline.cycles)
        var predicted = counted
        for index in 0..<steps.count where steps.cycles[index].isMultiple(of: 2) {
            counted[steps.cycles[index]] += steps.joules[index]
            predicted[steps.cycles[index]] += residuals.predicted(index)
        }
        let even = stride(from: 0, to: timeline.cycles, by: 2).filter { counted[$0] > 0 }
        let mean = even.reduce(0) { $0 + counted[$1] } / Double(even.count)
        let squares = even.reduce(0) { sum, cycle in
            let error = predicted[cycle] - counted[cycle]
            return sum + error * error
        }
        return (squares / Double(even.count)).squareRoot() / mean
    }
}
