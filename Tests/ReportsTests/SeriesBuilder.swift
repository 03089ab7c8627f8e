import Analysis

/// What a run did over time, made in code: two sources, a gap, a droop of the power, two sensors.
enum SeriesBuilder {
    static func series(
        id: String = RecordBuilder().id, sources: [String] = RecordBuilder().includes
    ) -> RunSeries {
        let cells = (0..<620).map { cell(second: Double($0), sources: sources.count) }
        return RunSeries(
            id: id, sustainedStart: 35, burst: 10...20, sustained: 540...600,
            power: .success(
                PowerSeries(
                    sources: sources, step: 1, stretches: [Array(cells[..<300]), Array(cells[310...])])),
            joulesPerToken: .success(
                TokenEnergySeries(
                    step: 10,
                    cells: (0..<60).map(tokenCell))),
            temperatures: [course("hwmon:k10temp/temp1", 45, 75), course("hwmon:nvme/temp1", 38, 41)],
            clocks: [course("cpu0:frequency", 4.1e9, 3.4e9)],
            memory: [course("process:rss", 1.3e8, 1.4e8), course("process:anonymous", 2e7, 2.8e7)],
            memoryPoints: [
                .init(name: "before_load", seconds: 15, bytes: 15_953_920),
                .init(name: "after_load", seconds: 16, bytes: 131_686_400),
                .init(name: "after_first_token", seconds: 17, bytes: 140_933_120),
                .init(name: "at_end", seconds: 603, bytes: 140_933_120),
            ],
            latency: .success(
                LatencyHistogram(edges: (0...16).map(edge), counts: (0..<16).map { 60_000 >> $0 })))
    }

    /// Idle, loaded idle, then work whose power sinks; nine tenths of it are the first source's.
    private static func cell(second: Double, sources: Int) -> PowerSeries.Cell {
        let isIdle = second < 15 || second > 605
        let watts = isIdle ? 20.0 : second < 30 ? 31.0 : 48.0 - second / 100
        let parts = (0..<sources).map { $0 == 0 ? watts * 0.9 : watts * 0.1 }
        return PowerSeries.Cell(begin: second, end: second + 1, watts: parts)
    }

    private static func tokenCell(_ number: Int) -> TokenEnergySeries.Cell {
        let begin = Double(number) * 10
        let value = 0.44 - begin / 30_000
        return .init(begin: begin, end: begin + 10, value: value, bounds: value - 0.01...value + 0.01)
    }

    private static func edge(_ number: Int) -> Double {
        let place = Double(number)
        return 0.007 * (1 + place * place * 0.06)
    }

    private static func course(_ id: String, _ from: Double, _ to: Double) -> Course {
        Course(id: id, (0..<620).map { .init(Double($0), from + (to - from) * Double($0) / 620) })
    }

    /// A record whose rolling rate and windows suit the series.
    static func record(_ builder: RecordBuilder = RecordBuilder()) -> Record {
        var record = builder.build()
        let burst = record.metrics.burst.number ?? 131
        record.metrics.rolling = (10...600).map { second in
            let rate = burst - Double(second) / 300 + Double(second % 7) / 10
            return RollingPoint(seconds: Double(second), tokensPerSecond: rate - 1, depthAdjusted: rate)
        }
        record.windows.append(
            Window(
                name: "loaded_idle", part: .loadedIdle, cycle: nil, begin: 17, end: 32, tokens: nil,
                whole: true))
        record.windows.append(
            Window(
                name: "cycle", part: .sustained, cycle: 200, begin: 600, end: 603, tokens: 256, whole: true))
        return record
    }
}
