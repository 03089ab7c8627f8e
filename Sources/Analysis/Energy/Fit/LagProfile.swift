/// The normal equations of every cycle for every lag of a grid.
///
/// A cycle's sums do not depend on which cycles are fitted with it: odd cycles, drawn cycles and all cycles
/// are sums over the same numbers, and no draw has to look at a step again.
struct LagProfile: Sendable {
    let columns: Int
    let cycles: Int
    /// Seconds between lags; the first is 0.
    let step: Double
    let lags: Int
    private let width: Int
    /// Lag by lag, cycle by cycle, as in `NormalEquations.sums`.
    private let sums: [Double]

    struct Fit {
        var lag: Double
        var powers: [Double]
    }

    private static let lagsAPeriod = 20.0
    private static let mostLags = 61

    init(_ steps: CounterSteps, _ timeline: CycleTimeline, most: Double) {
        columns = timeline.names.count
        cycles = timeline.cycles
        let wanted = (most / steps.meanLength * Self.lagsAPeriod).rounded(.up)
        lags = wanted.isFinite ? min(Self.mostLags, max(3, Int(min(wanted, 1000)) + 1)) : 3
        step = most / Double(lags - 1)
        width = NormalEquations.width(columns)
        var sums: [Double] = []
        sums.reserveCapacity(lags * cycles * width)
        for lag in 0..<lags { sums += Self.equations(steps, timeline, lag: Double(lag) * step) }
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
    }

    /// The lag with the least squares left and the powers that belong to it, between the lags of the grid by
    /// the parabola through the three about the least.
    ///
    /// - Parameter counts: how often each cycle counts.
    /// - Returns: nil where the phases of these cycles depend on one another.
    func fit(_ counts: ArraySlice<Double>) -> Fit? {
        var equations = NormalEquations(columns: columns)
        var solutions: [(coefficients: [Double], residual: Double)] = []
        solutions.reserveCapacity(lags)
        for lag in 0..<lags {
            total(lag, counts, into: &equations)
            guard let solution = equations.solution() else { return nil }
            solutions.append(solution)
        }
        let best = solutions.indices.min { solutions[$0].residual < solutions[$1].residual } ?? 0
        guard best > 0, best < lags - 1 else {
            return Fit(lag: Double(best) * step, powers: solutions[best].coefficients)
        }
        let (before, at, after) = (
            solutions[best - 1].residual, solutions[best].residual, solutions[best + 1].residual
        )
        let bend = before - 2 * at + after
        let offset = bend > 0 ? min(max((before - after) / (2 * bend), -0.5), 0.5) : 0
        let neighbour = solutions[offset < 0 ? best - 1 : best + 1].coefficients
        let powers = zip(solutions[best].coefficients, neighbour).map { $0 + ($1 - $0) * abs(offset) }
        return Fit(lag: (Double(best) + offset) * step, powers: powers)
    }
}
