import Analysis

/// Charts of what explains the figures: heat, clocks, memory, single steps.
extension RunCharts {
    /// Of many sensors those that are shown.
    private static let mostCourses = 4

    func context(
        _ courses: KeyPath<RunSeries, [Course]>, _ title: String, _ unitName: String,
        minute: KeyPath<Minute, Figure>, unit: Double
    ) -> Result<Chart, Unavailable> {
        let all: [Course]
        switch series {
        case .failure(let why):
            return minutes(
                minute, title + " by minute", unitName, unit: unit, otherwise: why)
        case .success(let series): all = series[keyPath: courses]
        }
        let shown = Array(all.prefix(Self.mostCourses))
        let values = shown.flatMap { Array($0.points) }
        guard let begin = values.map(\.seconds).min(), let end = values.map(\.seconds).max(), end > begin
        else {
            return .failure(Unavailable("no \(title.lowercased()) was read"))
        }
        let more = all.count - shown.count
        var chart = Chart(
            title: title + (more > 0 ? ", the \(shown.count) highest of \(all.count)" : ""),
            description: shown.map { Self.told($0.id, $0.chartPoints, unitName, unit: unit) }
                .joined(separator: "; "),
            x: .time(begin...end, since: Self.runOrigin),
            y: .values(unitName, Self.range(values.map(\.value)), unit: unit))
        for (number, course) in shown.enumerated() {
            chart.add(line: course.chartPoints, Chart.Look(number, dashed: number % 2 == 1), course.id)
        }
        return .success(chart)
    }

    var memory: Result<Chart, Unavailable> {
        let series: RunSeries
        switch self.series {
        case .failure(let why): return .failure(why)
        case .success(let known): series = known
        }
        let values = series.memory.flatMap { Array($0.points) }
        guard let begin = values.map(\.seconds).min(), let end = values.map(\.seconds).max(), end > begin
        else {
            return .failure(Unavailable("no memory was read over the run"))
        }
        let most = values.map(\.value).max() ?? 0
        let isLarge = most >= 2 * 1_073_741_824
        var chart = Chart(
            title: "Memory",
            description: series.memory.map { course in
                "\(course.id) at most " + Notation.bytes(course.range?.upperBound ?? 0)
            }.joined(separator: "; "),
            x: .time(begin...end, since: Self.runOrigin),
            y: .values(
                isLarge ? "GiB" : "MiB", 0...most, fromZero: true, unit: isLarge ? 1_073_741_824 : 1_048_576))
        for (number, course) in series.memory.enumerated() {
            chart.add(line: course.chartPoints, Chart.Look(number, dashed: number % 2 == 1), course.id)
        }
        let marks = series.memoryPoints.map { point in
            let name = point.name.replacing("_", with: " ")
            return Chart.Mark(
                point: .init(x: point.seconds, y: Double(point.bytes)), isOnFrontier: true, label: name,
                detail: "\(name): " + Notation.bytes(Double(point.bytes)))
        }
        chart.layers.append(.marks(marks, Chart.Look(5)))
        if !marks.isEmpty {
            chart.legend.append(.init(sign: .frontier, look: Chart.Look(5), text: "rss at the named points"))
        }
        return .success(chart)
    }

    var latency: Result<Chart, Unavailable> {
        series.flatMap(\.latency).map { histogram in
            let total = Double(max(1, histogram.total))
            let bars = histogram.counts.indices.map { bin in
                (
                    from: histogram.edges[bin], to: histogram.edges[bin + 1],
                    height: Double(histogram.counts[bin]) / total * 100
                )
            }
            let times = record.metrics.interTokenLatency
            let quantiles = [("p50", times.p50), ("p99", times.p99), ("max", times.max)]
            var chart = Chart(
                title: "Time between tokens",
                description: "Distribution of \(histogram.total) decode steps: "
                    + quantiles.map { "\($0.0) " + ($0.1.number.map(Notation.seconds) ?? "unavailable") }
                    .joined(separator: ", "),
                x: Axis(
                    title: "milliseconds, logarithmic",
                    range: (histogram.edges.first ?? 1e-3)...(histogram.edges.last ?? 1), unit: 1e-3,
                    isLogarithmic: true),
                // One step of a million is as visible as the many: the slow ones are what a reader feels.
                y: Axis(
                    title: "% of the steps, logarithmic",
                    range: 50 / total...1.5 * (bars.map(\.height).max() ?? 100), isLogarithmic: true))
            chart.layers.append(.bars(bars.filter { $0.height > 0 }, Chart.Look(0)))
            for (number, quantile) in quantiles.enumerated() {
                guard let value = quantile.1.number else { continue }
                let look = Chart.Look(number + 1, dashed: true)
                chart.layers.append(.moment(value, look, name: quantile.0))
                chart.legend.append(
                    .init(sign: .line, look: look, text: "\(quantile.0) \(Notation.seconds(value))"))
            }
            return chart
        }
    }
}
