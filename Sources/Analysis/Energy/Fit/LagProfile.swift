/// The normal equations of every cycle for every lag of a grid.
///
/// A cycle's sums do not depend on which cycles are fitted with it: odd cycles, drawn cycles and all cycles
/// are sums over the same numbers, and no draw has to look at a step again.
struct LagProfile: Sendable {
    let columns: Int
    let cycles: Int
    /// The first lag, seconds: 0, or less by what the moments of updates may lie before the middles of their reads.
    let least: Double
    /// Seconds between lags.
    let step: Double
    let lags: Int
    /// The last lag.
    var most: Double { least + Double(lags - 1) * step }
    private let width: Int
    /// Lag by lag, cycle by cycle, as in `NormalEquations.sums`.
    private let sums: [Double]

    /// What is known beforehand of the power of one phase.
    var prior: PhasePrior?

    struct Fit {
        var lag: Double
        var powers: [Double]
        /// Weighted squares left over.
        var residual: Double
    }

    private static let lagsAPeriod = 40.0
    private static let mostLags = 61

    init(_ steps: CounterSteps, _ timeline: CycleTimeline, least: Double, most: Double) {
        columns = timeline.names.count
        cycles = timeline.cycles
        self.least = least
        let wanted = ((most - least) / steps.meanLength * Self.lagsAPeriod).rounded(.up)
        lags = wanted.isFinite ? min(Self.mostLags, max(3, Int(min(wanted, 1000)) + 1)) : 3
        step = (most - least) / Double(lags - 1)
        width = NormalEquations.width(columns)
        var sums: [Double] = []
        sums.reserveCapacity(lags * cycles * width)
        for lag in 0..<lags { sums += Self.equations(steps, timeline, lag: least + Double(lag) * step) }
        self.sums = sums
    }

    /// The normal equations of each cycle for one lag, flat.
    static func equations(_ steps: CounterSteps, _ timeline: CycleTimeline, lag: Double) -> [Double] {
        let columns = timeline.names.count
        let width = NormalEquations.width(columns)
        let seconds = steps.seconds(lag: lag, timeline)
        var sums = [Double](repeating: 0, count: timeline.cycles * width)
        for index in 0..<steps.count {
            let weight = steps.weight(index)
            let joules = steps.joules[index]
            var position = steps.cycles[index] * width
            for row in 0..<columns {
                let weighted = weight * seconds[index * columns + row]
                for column in 0...row {
                    sums[position] += weighted * seconds[index * columns + column]
                    position += 1
                }
            }
            for column in 0..<columns {
                sums[position] += weight * seconds[index * columns + column] * joules
                position += 1
            }
            sums[position] += weight * joules * joules
        }
        return sums
    }

    /// Sum over cycles, each as often as `counts` says.
    private func total(_ lag: Int, _ counts: ArraySlice<Double>, into equations: inout NormalEquations) {
        for index in 0..<width { equations.sums[index] = 0 }
        var position = lag * cycles * width
        for count in counts {
            if count != 0 {
                for index in 0..<width { equations.sums[index] += count * sums[position + index] }
            }
            position += width
        }
        prior?.add(to: &equations)
    }

    /// Half width, in steps of the grid, of where the lag is looked for first when it is known about.
    private static let nearby = 8

    /// The lag with the least squares left and the powers that belong to it, between the lags of the grid by
    /// the parabola through the three about the least.
    ///
    /// - Parameters:
    ///   - counts: how often each cycle counts.
    ///   - near: looks about this lag first, and everywhere only if the least lies where that ends.
    /// - Returns: nil where the phases of these cycles depend on one another.
    func fit(_ counts: ArraySlice<Double>, near: Double? = nil) -> Fit? {
        guard let near else { return fit(counts, within: 0..<lags)?.fit }
        let middle = min(max(Int(((near - least) / step).rounded()), 0), lags - 1)
        let range = max(0, middle - Self.nearby)..<min(lags, middle + Self.nearby + 1)
        guard let found = fit(counts, within: range) else { return nil }
        return found.atEnd ? fit(counts, within: 0..<lags)?.fit : found.fit
    }

    /// - Returns: with whether the least lies at an end of the range that is no end of the grid.
    private func fit(_ counts: ArraySlice<Double>, within range: Range<Int>) -> (fit: Fit, atEnd: Bool)? {
        var equations = NormalEquations(columns: columns)
        var solutions: [(coefficients: [Double], residual: Double)] = []
        solutions.reserveCapacity(range.count)
        for lag in range {
            total(lag, counts, into: &equations)
            guard let solution = equations.solution() else { return nil }
            solutions.append(solution)
        }
        let best = solutions.indices.min { solutions[$0].residual < solutions[$1].residual } ?? 0
        let lag = range.lowerBound + best
        guard best > 0, best < solutions.count - 1 else {
            let atGrid = Fit(
                lag: least + Double(lag) * step, powers: solutions[best].coefficients,
                residual: solutions[best].residual)
            return (atGrid, lag > 0 && lag < lags - 1)
        }
        let offset = Self.lowest(
            solutions[best - 1].residual, solutions[best].residual, solutions[best + 1].residual)
        let neighbour = solutions[offset < 0 ? best - 1 : best + 1].coefficients
        let powers = zip(solutions[best].coefficients, neighbour).map { $0 + ($1 - $0) * abs(offset) }
        let between = Fit(
            lag: least + (Double(lag) + offset) * step, powers: powers, residual: solutions[best].residual)
        return (between, false)
    }

    /// Where between -0.5 and 0.5 the parabola through three values at -1, 0 and 1 is lowest.
    private static func lowest(_ before: Double, _ at: Double, _ after: Double) -> Double {
        let bend = before - 2 * at + after
        return bend > 0 ? min(max((before - after) / (2 * bend), -0.5), 0.5) : 0
    }
}

extension LagProfile {
    /// Says of the gap's power what is known beforehand, against what the steps scatter by.
    ///
    /// - Parameter doubt: half width as a share of the mean power.
    mutating func expectGap(_ steps: CounterSteps, _ timeline: CycleTimeline, watts: Double?, doubt: Double) {
        guard let column = timeline.names.firstIndex(of: CycleTimeline.gap), columns > 1 else { return }
        let time = zip(steps.begins, steps.ends).reduce(0) { $0 + $1.1 - $1.0 }
        let mean = steps.joules.reduce(0, +) / time
        let half = doubt * mean
        guard half > 0 else { return }
        // At first as if the steps scattered by a hundredth of their energy.
        var scatter = mean * steps.meanLength / 100
        scatter *= scatter
        for _ in 0..<2 {
            // Half widths of 95 % are two standard deviations.
            prior = PhasePrior(
                column: column, watts: watts ?? half, half: half, weight: 4 * scatter / half / half)
            let all = [Double](repeating: 1, count: cycles)
            guard let fit = fit(all[...]), steps.count > columns + 1 else { return }
            scatter = fit.residual / Double(steps.count - columns - 1)
        }
    }

    private static let refinements = 3
    private static let narrowing = 8.0

    /// The fit of all cycles, with the lag followed below the steps of the grid.
    func refined(_ steps: CounterSteps, _ timeline: CycleTimeline) -> Fit? {
        let all = [Double](repeating: 1, count: cycles)
        guard var fit = fit(all[...]) else { return nil }
        var distance = step / Self.narrowing
        for _ in 0..<Self.refinements where fit.lag > least {
            let lags = [max(least, fit.lag - distance), fit.lag, fit.lag + distance]
            let solutions = lags.compactMap { whole(steps, timeline, lag: $0).solution() }
            guard solutions.count == lags.count else { return nil }
            let offset = Self.lowest(solutions[0].residual, solutions[1].residual, solutions[2].residual)
            let lag = max(least, fit.lag + offset * distance)
            guard let solution = whole(steps, timeline, lag: lag).solution() else { return nil }
            fit = Fit(lag: lag, powers: solution.coefficients, residual: solution.residual)
            distance /= Self.narrowing / 4
        }
        return fit
    }

    /// The normal equations of all cycles for one lag, with what is known beforehand.
    func whole(_ steps: CounterSteps, _ timeline: CycleTimeline, lag: Double) -> NormalEquations {
        var equations = NormalEquations(columns: columns)
        for (index, value) in Self.equations(steps, timeline, lag: lag).enumerated() {
            equations.sums[index % width] += value
        }
        prior?.add(to: &equations)
        return equations
    }
}

/// What is known beforehand of the power of a phase too short to show it: the gap between two generations may
/// last a hundredth of a step of the counter, and then its power is any at all for the fit, which would give
/// the difference to the phase beside it.
struct PhasePrior: Sendable {
    let column: Int
    let watts: Double
    /// Half width in watts.
    let half: Double
    /// In the units of X'X: how many seconds squared of the phase the knowledge counts for.
    let weight: Double

    func add(to equations: inout NormalEquations) {
        equations.sums[NormalEquations.position(column, column)] += weight
        equations.sums[equations.vector + column] += weight * watts
        equations.sums[equations.vector + equations.columns] += weight * watts * watts
    }
}
