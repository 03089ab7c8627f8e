/// What a fit answers: the energy of windows within the sustained part, with what it comes to in each draw of
/// cycles.
struct FittedPhases: Sendable {
    let fit: PhaseFit
    let draws: BlockDraws
    /// Watts refitted to each draw: draw by draw, phase by phase.
    private let powers: [Double]

    /// Nil where a draw tells the phases not apart.
    init?(_ fit: PhaseFit, _ draws: BlockDraws) {
        guard let powers = fit.refitted(draws) else { return nil }
        self.fit = fit
        self.draws = draws
        self.powers = powers
    }

    /// The estimator's name in a figure's method.
    var method: String { "phase fit, \(fit.lagText)" }

    /// The energy of windows; nil where one lies outside the sustained part.
    ///
    /// - Parameter unit: the smallest step of the counter, joules.
    func energy(over spans: [Span], unit: Double) -> EnergyEstimate? {
        let width = fit.powers.count
        guard let seconds = fit.timeline.seconds(in: spans) else { return nil }
        let cycles = spans.map { fit.timeline.cycle(at: fit.timeline.seconds($0.begin)) }
        var byCycle = [Double](repeating: 0, count: fit.timeline.cycles * width)
        var whole = [Double](repeating: 0, count: width)
        var windows = [Double](repeating: 0, count: spans.count)
        for (index, time) in seconds.enumerated() {
            let column = index % width
            byCycle[cycles[index / width] * width + column] += time
            whole[column] += time
            windows[index / width] += time * fit.powers[column]
        }
        let doubt = zip(whole, fit.doubts).reduce(0) { $0 + $1.0 * $1.1 }
        let joules = windows.reduce(0, +)
        let half = (unit * unit + doubt * doubt).squareRoot()
        var estimate = EnergyEstimate(
            joules: joules, low: joules - half, high: joules + half, method: method, windows: windows)
        estimate.resampled = resampled(byCycle, whole, cycles)
        return estimate
    }

    private func resampled(_ byCycle: [Double], _ whole: [Double], _ cycles: [Int]) -> Resampled {
        let width = whole.count
        var result = Resampled(draws: draws, cycles: cycles, joules: [], same: [])
        var drawn = [Double](repeating: 0, count: width)
        for draw in 0..<draws.number {
            for column in 0..<width { drawn[column] = 0 }
            for (cycle, count) in draws.counts(of: draw).enumerated() where count != 0 {
                for column in 0..<width { drawn[column] += count * byCycle[cycle * width + column] }
            }
            var (joules, same) = (0.0, 0.0)
            for column in 0..<width {
                joules += powers[draw * width + column] * drawn[column]
                same += powers[draw * width + column] * whole[column]
            }
            result.joules.append(joules)
            result.same.append(same)
        }
        return result
    }
}

/// An energy as it comes out of each draw of cycles.
public struct Resampled: Sendable, Hashable {
    let draws: BlockDraws
    /// The cycle of each window.
    let cycles: [Int]
    /// The energy of the drawn cycles' windows, joules.
    var joules: [Double]
    /// The energy of the windows as they were, with the powers of the draw, joules.
    var same: [Double]

    /// How the interval comes about, for a figure's method.
    var note: String {
        let length = draws.blocks.length
        let size = length == 1 ? "one cycle" : "\(length) cycles"
        return "bootstrap of blocks of \(size) with the lag refitted, in quadrature"
    }

    /// A sum over the drawn windows of a quantity that each has.
    func sums(of values: [Double]) -> [Double] {
        (0..<draws.number).map { draw in
            let counts = draws.counts(of: draw)
            var sum = 0.0
            for (cycle, value) in zip(cycles, values) { sum += counts[counts.startIndex + cycle] * value }
            return sum
        }
    }

    /// 95 % half width of a quantity from its value in each draw.
    func half(_ values: [Double]) -> Result<Double, Unavailable> {
        draws.blocks.factor.flatMap { factor in
            guard let variance = Moments.variance(values) else {
                return .failure(Unavailable("insufficient: no draws"))
            }
            return .success(factor * variance.squareRoot())
        }
    }
}
