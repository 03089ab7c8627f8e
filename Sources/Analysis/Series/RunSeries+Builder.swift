extension RunSeries {
    /// Points that a chart can show; more are thinned, extremes kept.
    private static let buckets = 240

    public init(_ trace: Trace) {
        let timeline = Timeline(trace)
        let builder = MetricsBuilder(trace, timeline)
        let part = builder.sustained
        self.init(
            id: trace.header.id, sustainedStart: timeline.sustainedStart.map(timeline.seconds),
            burst: builder.rates?.burstStretch, sustained: builder.rates?.sustainedStretch,
            power: PowerSeries.of(trace, builder.energy.ledger),
            joulesPerToken: part.flatMap { TokenEnergySeries.of($0, builder.energy) },
            temperatures: Self.courses(builder.temperatures, timeline),
            clocks: Self.courses(builder.clocks, timeline),
            memory: Self.memory(trace, timeline), memoryPoints: Self.points(trace, timeline),
            latency: part.flatMap(Self.latency))
    }

    /// The courses with the highest mean first: of many sensors the one under load.
    private static func courses(_ series: [ContextSeries], _ timeline: Timeline) -> [Course] {
        func mean(_ course: Course) -> Double {
            let count = course.stretches.reduce(0) { $0 + $1.count }
            return course.points.reduce(0) { $0 + $1.value } / Double(max(1, count))
        }
        return series.map { series in
            Course(
                id: series.source.id,
                series.readings.map { Course.Point(timeline.seconds($0.time), $0.value) })
        }
        .map { (course: $0, mean: mean($0)) }
        .sorted { ($1.mean, $0.course.id) < ($0.mean, $1.course.id) }
        .map { $0.course.thinned(buckets: buckets) }
    }

    /// The engine's own memory and the boards', by id: a second worker of the run goes on where the first
    /// ended.
    private static func memory(_ trace: Trace, _ timeline: Timeline) -> [Course] {
        let wanted = ["process:rss", "process:anonymous", "process:file"]
        var order: [String] = []
        var readings: [String: [[Course.Point]]] = [:]
        for series in ContextSeries.of(.memory, in: trace) {
            let id = series.source.id
            guard wanted.contains(id) || series.source.scope.domain == "gpu-board" else { continue }
            if readings[id] == nil { order.append(id) }
            readings[id, default: []].append(
                series.readings.map { Course.Point(timeline.seconds($0.time), $0.value) })
        }
        return order.map { id in
            let stretches = readings[id, default: []].flatMap { Course(id: id, $0).stretches }
            return Course(id: id, stretches: stretches).thinned(buckets: buckets)
        }
    }

    /// As in the record: the first `before_load`, the worker that has loaded nothing yet, and the last of
    /// every other.
    private static func points(_ trace: Trace, _ timeline: Timeline) -> [MemoryPoint] {
        var points: [MemoryPoint] = []
        for line in trace.memory {
            guard let bytes = line.bytes["rss"] else { continue }
            let name = line.point.rawValue
            if let earlier = points.firstIndex(where: { $0.name == name }) {
                if line.point == .beforeLoad { continue }
                points.remove(at: earlier)
            }
            points.append(MemoryPoint(name: name, seconds: timeline.seconds(line.time), bytes: bytes))
        }
        return points
    }

    private static func latency(_ part: SustainedPart) -> Result<LatencyHistogram, Unavailable> {
        LatencyHistogram(part.stepLengths).map { .success($0) }
            ?? .failure(Unavailable("no token stamps over a decode step of a whole cycle"))
    }
}
