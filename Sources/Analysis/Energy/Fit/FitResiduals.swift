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

    /// Root mean square of what is left of the steps' energies, joules.
    var scatter: Double {
        let squares = (0..<steps.count).reduce(0.0) { sum, index in
            let left = steps.joules[index] - predicted(index)
            return sum + left * left
        }
        return (squares / Double(max(1, steps.count))).squareRoot()
    }

    private func predicted(_ index: Int) -> Double {
        var sum = 0.0
        for (column, power) in powers.enumerated() { sum += power * seconds[index * powers.count + column] }
        return sum
    }

    /// The infinitesimal jackknife by cycle (Efron 1982, "The jackknife, the bootstrap and other resampling
    /// plans", chapter 6), with the lag among what is fitted.
    ///
    /// - Parameter least: the bound of the lag: one that stands there is not free; nil where it is not.
    func influence(least: Double?, _ prior: PhasePrior?) -> [Double] {
        let room = least.map { lag - $0 } ?? 0
        let isLagFree = room > 0
        let width = powers.count + (isLagFree ? 1 : 0)
        let slopes = isLagFree ? lagSlopes(within: room) : []
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
        prior?.add(to: &equations)
        guard let inverse = equations.inverse() else {
            let none = [Double](repeating: 0, count: timeline.cycles * powers.count)
            return isLagFree ? influence(least: nil, prior) : none
        }
        var result = [Double](repeating: 0, count: timeline.cycles * powers.count)
        for cycle in 0..<timeline.cycles {
            for column in powers.indices {
                for inner in 0..<width {
                    result[cycle * powers.count + column] +=
                        inverse[column][inner] * scores[cycle * width + inner]
                }
            }
        }
        return result
    }

    /// By how much a step's prediction grows with the lag, joules a second.
    private func lagSlopes(within room: Double) -> [Double] {
        let distance = min(steps.meanLength / 100, room)
        let later = FitResiduals(steps, timeline, powers: powers, lag: lag + distance)
        let earlier = FitResiduals(steps, timeline, powers: powers, lag: lag - distance)
        return (0..<steps.count).map { (later.predicted($0) - earlier.predicted($0)) / (2 * distance) }
    }

    /// Odd cycles fitted, even ones predicted: see `PhaseFit.checkError`.
    static func checkError(_ steps: CounterSteps, _ timeline: CycleTimeline, _ profile: LagProfile) -> Double
    {
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
