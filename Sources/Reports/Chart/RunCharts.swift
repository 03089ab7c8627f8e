import Analysis

/// The charts of one run, from its record and, for what a record does not hold, from its trace.
struct RunCharts {
    let record: Record
    /// The reason stands in place of each chart that needs the trace.
    let series: Result<RunSeries, Unavailable>

    static let runOrigin = "the trace's start"
    static let sustainedOrigin = "t = 0 of the sustained part"

    func chart(_ name: ChartName) -> Result<Chart, Unavailable> {
        switch name {
        case .pareto: .failure(Unavailable("a frontier is one of several runs"))
        case .rate: rate
        case .power: power
        case .energy: energy
        case .temperature: context(\.temperatures, "Temperature", "°C", minute: \.temperature, unit: 1)
        case .clock: context(\.clocks, "Clock", "GHz", minute: \.clock, unit: 1e9)
        case .memory: memory
        case .latency: latency
        }
    }

    private var known: RunSeries? { if case .success(let series) = series { series } else { nil } }

    private var rate: Result<Chart, Unavailable> {
        let metrics = record.metrics
        let rolling = metrics.rolling
        guard let last = rolling.last?.seconds, last > 0 else {
            return .failure(
                Unavailable(
                    metrics.sustained.reason ?? "no stretch of 10 s and 3 cycles in the sustained part"))
        }
        func line(_ value: (RollingPoint) -> Double?) -> [[Chart.Point]] {
            Course(id: "", rolling.map { .init($0.seconds, value($0) ?? .nan) })
                .thinned(buckets: 240).chartPoints
        }
        let adjusted = line(\.depthAdjusted)
        let raw = line(\.tokensPerSecond)
        let figures = [metrics.burst, metrics.sustained]
        let range = Self.range((adjusted + raw).joined().map(\.y) + figures.flatMap(\.ends))
        var chart = Chart(
            title: "Decode rate over the sustained part",
            description: Self.told("Rolling decode rate", (adjusted.isEmpty ? raw : adjusted), "tok/s") + " "
                + [("burst", metrics.burst), ("sustained", metrics.sustained)].map {
                    "\($0.0) " + (Notation.figure($0.1).map { $0 + " tok/s" } ?? "unavailable")
                }.joined(separator: ", "),
            x: .time(0...last, since: Self.sustainedOrigin),
            y: .values("tok/s, rolling", range))
        chart.add(line: raw, Chart.Look(5, dashed: true), "as counted")
        chart.add(line: adjusted, Chart.Look(0), "depth-adjusted")
        chart.add(level: metrics.burst, "burst", " t/s", Chart.Look(2), over: known?.burst)
        chart.add(level: metrics.sustained, "sustained", " t/s", Chart.Look(1), over: known?.sustained)
        if let onset = metrics.droopOnsetSeconds.number {
            if case .value(_, .bounds(let low, let high), _) = metrics.droopOnsetSeconds {
                chart.layers.append(.shade(from: max(0, low), to: min(high, last), name: "", dark: true))
            }
            chart.layers.append(.moment(onset, Chart.Look(3, dashed: true), name: "droop onset"))
            chart.legend.append(
                .init(
                    sign: .line, look: Chart.Look(3, dashed: true),
                    text: "droop onset after \(Notation.seconds(onset))"))
        }
        return .success(chart)
    }

    private var power: Result<Chart, Unavailable> {
        switch series.flatMap(\.power) {
        case .success(let course): .success(stacked(course))
        case .failure(let why):
            minutes(
                \.watts, "Power by minute", "W", otherwise: why)
        }
    }

    private func stacked(_ whole: PowerSeries) -> Chart {
        let course = whole.gathered(most: 330)
        let cells = Array(course.cells)
        let idle = record.metrics.idle.gross.watts
        let loaded = record.metrics.loadedIdle.gross.watts
        let range = Self.range(cells.map(\.high) + idle.ends + loaded.ends)
        let span = (cells.first?.begin ?? 0)...(cells.last?.end ?? 1)
        var chart = Chart(
            title: "Power by source",
            description: Self.told(
                "Power of \(course.sources.joined(separator: " + "))",
                [cells.map { Chart.Point(x: $0.begin, y: $0.total) }], "W"),
            x: .time(span, since: Self.runOrigin), y: .values("W", range, fromZero: true))
        chart.layers = shades(within: span)
        for (number, source) in course.sources.enumerated() {
            let look = Chart.Look(number)
            for stretch in course.stretches {
                var points: [(x: Double, low: Double, high: Double)] = []
                for cell in stretch {
                    let below = cell.watts[..<number].reduce(0, +)
                    for x in [cell.begin, cell.end] { points.append((x, below, below + cell.watts[number])) }
                }
                chart.layers.append(.area(points, look, faint: false))
            }
            chart.legend.append(.init(sign: .area, look: look, text: source))
        }
        if course != whole {
            let look = Chart.Look(5)
            for stretch in course.stretches {
                chart.layers.append(
                    .area(
                        stretch.flatMap { [($0.begin, $0.low, $0.high), ($0.end, $0.low, $0.high)] }, look,
                        faint: true))
            }
            chart.legend.append(
                .init(
                    sign: .area, look: look,
                    text: "least to greatest over \(fixed(course.step, decimals: 0)) s"))
        }
        chart.add(level: idle, "idle", " W", Chart.Look(1, dashed: true), over: nil)
        chart.add(level: loaded, "loaded idle", " W", Chart.Look(3, dashed: true), over: nil)
        chart.legend.append(.init(sign: .shade, look: Chart.Look(5), text: "parts of the run, by turns"))
        return chart
    }

    /// The parts of the run, every other one darker: from the first of its windows to the last.
    private func shades(within span: ClosedRange<Double>) -> [Chart.Layer] {
        Part.allCases.compactMap { part -> (part: Part, begin: Double, end: Double)? in
            let windows = record.windows.filter { $0.part == part }
            guard let begin = windows.map(\.begin).min(), let end = windows.map(\.end).max() else {
                return nil
            }
            let held = (max(begin, span.lowerBound), min(end, span.upperBound))
            return held.0 < held.1 ? (part, held.0, held.1) : nil
        }.enumerated().map { number, entry in
            .shade(
                from: entry.begin, to: entry.end, name: entry.part.rawValue.replacing("_", with: " "),
                dark: number % 2 == 0)
        }
    }

    private var energy: Result<Chart, Unavailable> {
        let title = "Energy per token over the sustained part"
        switch series.flatMap(\.joulesPerToken) {
        case .failure(let why):
            return minutes(
                \.joulesPerToken, title + ", by minute", "J/token, gross", otherwise: why)
        case .success(let course):
            let cells = course.cells
            let whole = record.metrics.cycle.gross.joulesPerToken
            let ends = cells.flatMap {
                [$0.value, $0.bounds?.lowerBound ?? $0.value, $0.bounds?.upperBound ?? $0.value]
            }
            let line = Course(
                id: "", cells.flatMap { [.init($0.begin, $0.value), .init($0.end, $0.value)] }, gap: .infinity
            )
            .chartPoints
            var chart = Chart(
                title: title, description: Self.told("Gross energy per generated token", line, "J"),
                x: .time(0...(cells.last?.end ?? 1), since: Self.sustainedOrigin),
                y: .values("J/token, gross, prefill included", Self.range(ends + whole.ends)))
            let look = Chart.Look(0)
            let band = cells.compactMap { cell in cell.bounds.map { (cell, $0) } }
            if band.count == cells.count {
                chart.layers.append(
                    .area(
                        band.flatMap { cell, bounds in
                            [cell.begin, cell.end].map { ($0, bounds.lowerBound, bounds.upperBound) }
                        }, look, faint: true))
            }
            chart.add(
                line: line, look, "over \(fixed(course.step, decimals: 0)) s each, with the 95 % interval")
            chart.add(level: whole, "whole run", " J", Chart.Look(1, dashed: true), over: nil)
            return .success(chart)
        }
    }

    /// A figure minute by minute, from the record alone.
    func minutes(
        _ figure: KeyPath<Minute, Figure>, _ title: String, _ unitName: String, unit: Double = 1,
        otherwise why: Unavailable
    ) -> Result<Chart, Unavailable> {
        let points = record.metrics.perMinute.flatMap { minute -> [Course.Point] in
            let begin = Double(minute.minute) * 60
            let value = minute[keyPath: figure].number ?? .nan
            return [.init(begin, value), .init(begin + 60, value)]
        }
        let line = Course(id: "", points, gap: .infinity).chartPoints
        guard let end = line.last?.last?.x else {
            // Where the record has the minutes and not the value, its own reason is the real one.
            let own = record.metrics.perMinute.lazy.compactMap { $0[keyPath: figure].reason }.first
            return .failure(own.map(Unavailable.init) ?? why)
        }
        let axis = Axis.values(unitName, Self.range(line.joined().map(\.y)), unit: unit)
        var chart = Chart(
            title: title, description: Self.told(title, line, unitName, unit: axis.unit),
            x: .time(0...end, since: Self.sustainedOrigin), y: axis)
        chart.add(line: line, Chart.Look(0), "mean of each minute, from the record (\(why.reason))")
        return .success(chart)
    }

    static func range(_ values: some Sequence<Double>) -> ClosedRange<Double> {
        let finite = values.filter(\.isFinite)
        return (finite.min() ?? 0)...(finite.max() ?? 1)
    }

    /// "Rolling decode rate: from 334 to 341 tok/s, at the end 339."
    static func told(
        _ what: String, _ lines: [[Chart.Point]], _ unitName: String, unit: Double = 1
    ) -> String {
        let values = lines.joined().map { $0.y / unit }
        guard let least = values.min(), let most = values.max(), let last = values.last else {
            return "\(what): nothing was read."
        }
        return "\(what): from \(Notation.plain(least)) to \(Notation.plain(most)) \(unitName), "
            + "at the end \(Notation.plain(last))."
    }
}
