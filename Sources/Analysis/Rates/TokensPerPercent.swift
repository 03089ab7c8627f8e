/// How many tokens one percent of the battery makes.
///
/// The level is shown in whole steps, so that only the moments when it falls tell it. Each fall is a point:
/// tokens generated until then against the level. Their least-squares slope is the figure.
struct TokensPerPercent {
    /// Fewer falls of the level say too little.
    static let fewestSteps = 3

    /// The level in percent, in order of time.
    let level: [(time: Instant, value: Double)]
    /// 1 while the battery feeds the machine.
    let discharging: [(time: Instant, value: Double)]
    /// The brightness of each display.
    let brightness: [[(time: Instant, value: Double)]]
    let tokens: TokenCount

    /// Over one stretch of steady work.
    ///
    /// The interval joins the slope's own (from the residuals) and that of the steps in quadrature: what a
    /// shown level stands for lies evenly within one step s of it, standard deviation s / sqrt(12), which by
    /// the slope's formula makes slope x 1.96 x s / sqrt(12 Sxx), Sxx being the levels' sum of squares.
    func figure(in span: Span) -> Figure {
        if let objection = objection(in: span) { return .unavailable(objection) }
        let readings = level.filter { span.contains($0.time) }
        var points: [(x: Double, y: Double)] = []
        var steps: [Double] = []
        for (before, now) in zip(readings, readings.dropFirst()) where now.value != before.value {
            guard now.value < before.value else { return .unavailable("the battery's level rose") }
            let half = Nanoseconds((now.time - before.time).value / 2)
            points.append((x: now.value, y: tokens.count(at: before.time + half)))
            steps.append(before.value - now.value)
        }
        guard points.count >= Self.fewestSteps, let fit = LineFit(points) else {
            return .unavailable("the battery's level fell \(points.count) times, under \(Self.fewestSteps)")
        }
        let slope = -fit.slope
        guard slope > 0 else { return .unavailable("no tokens while the battery's level fell") }
        let mean = points.reduce(0) { $0 + $1.x } / Double(points.count)
        let squares = points.reduce(0) { $0 + ($1.x - mean) * ($1.x - mean) }
        let step = steps.max() ?? 0
        let bySteps = slope * 1.96 * step / (12 * squares).squareRoot()
        let half = (fit.halfWidth * fit.halfWidth + bySteps * bySteps).squareRoot()
        return Figure(
            slope, .bounds(low: max(0, slope - half), high: slope + half),
            method: "least squares over \(points.count) falls of the level by \(short(step)) % at most, "
                + "discharging, brightness fixed")
    }

    private func objection(in span: Span) -> String? {
        let states = discharging.filter { span.contains($0.time) }
        if states.isEmpty { return "not known whether the battery was discharging" }
        if states.contains(where: { $0.value != 1 }) { return "the battery was not discharging throughout" }
        let displays = brightness.map { $0.filter { span.contains($0.time) }.map(\.value) }
        guard !displays.isEmpty, displays.allSatisfy({ !$0.isEmpty }) else {
            return "unknown: the brightness of the display is not known"
        }
        for display in displays {
            if let low = display.min(), let high = display.max(), low != high {
                return "unknown: the brightness of the display went between \(short(low)) and \(short(high))"
            }
        }
        return nil
    }
}

/// Tokens generated until a moment, from the stamps of generations; between stamps along straight lines.
struct TokenCount: Sendable {
    private var times: [UInt64] = []
    private var counts: [Double] = []

    /// - Parameter generations: in any order; one without stamps counts evenly from submit to last token.
    init(_ generations: [Generation]) {
        var total = 0.0
        for generation in generations.sorted(by: { $0.submit < $1.submit }) {
            append(generation.submit.nanoseconds, total)
            if generation.stamps.isEmpty, let decode = generation.decode, let counts = generation.counts {
                total += Double(counts.generated)
                append(decode.end.nanoseconds, total)
            }
            for stamp in generation.stamps {
                total += 1
                append(stamp, total)
            }
        }
    }

    private mutating func append(_ time: UInt64, _ count: Double) {
        // Stamps of another stream may lie before: the count then rises at once.
        times.append(max(time, times.last ?? 0))
        counts.append(count)
    }

    func count(at moment: Instant) -> Double {
        let time = moment.nanoseconds
        let next = times.partitioningIndex { $0 > time }
        guard next > 0 else { return 0 }
        guard next < times.count else { return counts[next - 1] }
        let length = Double(times[next] - times[next - 1])
        let share = length > 0 ? Double(time - times[next - 1]) / length : 1
        return counts[next - 1] + (counts[next] - counts[next - 1]) * share
    }
}

extension TokensPerPercent {
    /// Of a run's sustained part.
    static func figure(of trace: Trace, _ timeline: Timeline) -> Figure {
        let states = ContextSeries.of(.state, in: trace)
        let batteries = states.filter {
            $0.source.id.hasPrefix("battery:") && $0.source.id.hasSuffix("/percent")
        }
        guard let battery = batteries.first else { return .unavailable("no battery") }
        if batteries.count > 1 {
            return .unavailable("\(batteries.count) batteries: a percent of one is not the machine's")
        }
        guard let span = timeline.spans(of: .sustained).last else {
            return .unavailable("the run has no whole sustained part")
        }
        let device = battery.source.scope.device
        let state = states.first {
            $0.source.id.hasSuffix("/discharging") && $0.source.scope.device == device
        }
        return TokensPerPercent(
            level: battery.readings, discharging: state?.readings ?? [],
            brightness: states.filter { $0.source.id.hasPrefix("backlight:") }.map(\.readings),
            tokens: TokenCount(timeline.generations(of: .sustained))
        ).figure(in: span)
    }
}
