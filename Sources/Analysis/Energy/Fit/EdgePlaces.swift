/// Where in the counter's steps the edges of a phase come.
///
/// Edges that always cut a step at the same place leave powers and lag to be traded against one another: a
/// cycle of 2.000 s on a counter that is renewed every second has two kinds of steps, and three things to be
/// found from them. The condition number, which knows nothing of the lag, does not see that.
enum EdgePlaces {
    /// Edges have to come at least this often along a step, as a share of it. Four places are enough for the
    /// powers of two phases and a lag.
    private static let widestShare = 0.3
    /// One edge of so many may stray from the others without counting as a place.
    private static let strays = 40

    /// The phase whose edges leave the widest part of a step unvisited, where that is too wide to tell.
    ///
    /// - Returns: nil where every phase is told; the stretch in seconds else.
    static func unvisited(
        _ steps: CounterSteps, _ timeline: CycleTimeline, lag: Double
    ) -> (phase: String, seconds: Double)? {
        let most = max(timeline.shortestPhase / 2, widestShare * steps.meanLength)
        var worst: (phase: String, seconds: Double)?
        for (column, name) in timeline.names.enumerated() where name != CycleTimeline.gap {
            let hole = widestHole(places(steps, timeline, lag: lag, column)) * steps.meanLength
            if hole > most, hole > worst?.seconds ?? 0 { worst = (name, hole) }
        }
        return worst
    }

    /// By cycle, how far into its step the begin of the phase comes, as a share of the step; ascending.
    private static func places(
        _ steps: CounterSteps, _ timeline: CycleTimeline, lag: Double, _ column: Int
    ) -> [Double] {
        var result: [Double] = []
        for (stretch, begin) in timeline.begins.enumerated() where timeline.columns[stretch] == column {
            let index = steps.ends.partitioningIndex { $0 - lag > begin }
            guard index < steps.count, steps.begins[index] - lag <= begin else { continue }
            result.append((begin + lag - steps.begins[index]) / (steps.ends[index] - steps.begins[index]))
        }
        return result.sorted()
    }

    /// The longest way around the circle from 0 to 1 that passes no more than the strays.
    private static func widestHole(_ places: [Double]) -> Double {
        let reach = 1 + places.count / strays
        guard places.count > reach else { return 1 }
        return places.indices.reduce(0) { widest, index in
            let next = index + reach
            let turns = next >= places.count ? 1.0 : 0
            return max(widest, places[next % places.count] + turns - places[index])
        }
    }
}
