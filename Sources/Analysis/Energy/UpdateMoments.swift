/// When the device set each value of a counter: the middle of where that can have been, and its half width.
struct UpdateMoments: Sendable {
    let origin: Instant
    /// Seconds since `origin`, ascending.
    private(set) var middles: [Double] = []
    private(set) var halves: [Double] = []

    /// So many resolution steps a movement needs on average before the value can be taken to move at each
    /// update: a counter with coarse steps stands still through many of them.
    private static let stepsForPeriod = 8.0

    /// - Parameter lag: seconds by which the counter shows energy late.
    init?(_ series: CounterSeries, lag: Double = 0) {
        guard let first = series.movements.first else { return nil }
        origin = first.shown
        let meanSteps =
            Double(series.movements.last?.total ?? 0) / Double(series.movements.count) / series.resolution
        let period = series.period?.upper ?? 0
        let isFine = meanSteps >= Self.stepsForPeriod
        for (index, movement) in series.movements.enumerated() {
            let shown = seconds(movement.shown)
            let latest = seconds(movement.latest)
            // Nothing was read before the first read: there the period alone tells how old the value is.
            let lastOld = index == 0 ? shown - period : seconds(movement.earliest)
            let earliest = isFine ? max(lastOld, shown - period) : lastOld
            middles.append((earliest + latest) / 2 - lag)
            halves.append((latest - earliest) / 2)
        }
    }

    func seconds(_ moment: Instant) -> Double { (moment - origin).seconds.value }

    /// For each stretch between `edges` the energy and time from the first movement to the last surely
    /// inside.
    func chains(
        _ series: CounterSeries, totals: [Double], edges: [Double]
    ) -> [(joules: Double, seconds: Double)?] {
        var next = 0
        return (0...edges.count).map { stretch in
            let begin = stretch == 0 ? -Double.infinity : edges[stretch - 1]
            let end = stretch == edges.count ? Double.infinity : edges[stretch]
            while next < middles.count, middles[next] - halves[next] < begin { next += 1 }
            var (joules, time) = (0.0, 0.0)
            while next + 1 < middles.count, middles[next + 1] + halves[next + 1] <= end {
                if !series.movements[next + 1].afterVoid {
                    joules += totals[next + 1] - totals[next]
                    time += middles[next + 1] - middles[next]
                }
                next += 1
            }
            return time > 0 ? (joules, time) : nil
        }
    }
}
