/// One source of energy over a run: what it counted, how well it worked, where it tells nothing.
public struct EnergySource: Sendable {
    public let line: SourceLine
    public let health: SourceHealth
    /// One of the two, by the kind of the source.
    public let counter: CounterSeries?
    public let gauge: GaugeSeries?
    /// Stretches without energy: resets, gaps that hide wraps, standstill, suspends.
    private let stretches: VoidStretches
    /// Why it gives no energy at all; nil when it does.
    public let problem: String?
    /// The fit of a counter that is not renewed often enough for edges alone; nil where it is, or where the
    /// run has no cycles.
    let fit: Result<PhaseFit, Unavailable>?
    /// The fit with what it comes to in draws of cycles, once those are drawn for all sources together.
    var fitted: FittedPhases?
    private let curve: Curve?

    private enum Curve: Sendable {
        case counter(CounterCurve)
        case gauge(GaugeCurve)

        func edge(at moment: Instant) -> Result<CurveEdge, Unavailable> {
            switch self {
            case .counter(let curve): curve.edge(at: moment)
            case .gauge(let curve): curve.edge(at: moment)
            }
        }
    }

    init(
        _ line: SourceLine, counter: CounterSeries?, gauge: GaugeSeries?, health: SourceHealth,
        problem: String?, timeline: PhaseTimeline, cycles: CycleTimeline?, suspends: [Span]
    ) {
        self.line = line
        self.counter = counter
        self.gauge = gauge
        self.health = health
        let slept = suspends.map { CounterSeries.Void(span: $0, reason: "the machine slept") }
        let stood = health.frozen.map { CounterSeries.Void(span: $0, reason: "the counter stood still") }
        let voids = VoidStretches((counter?.voids ?? gauge?.voids ?? []) + slept + stood)
        stretches = voids
        let interval = Nanoseconds(line.intervalNanoseconds).seconds.value
        var curve: Curve?
        var fit: Result<PhaseFit, Unavailable>?
        if problem == nil {
            if let counter,
                let drawn = CounterCurve(series: counter, timeline: timeline, interval: interval)
            {
                fit = Self.fit(counter, drawn, cycles) { voids.first(touching: $0) != nil }
                let later = fit?.value.flatMap {
                    CounterCurve(series: counter, timeline: timeline, interval: interval, lag: $0.lag)
                }
                curve = .counter(later ?? drawn)
            } else if let gauge, let drawn = GaugeCurve(series: gauge) {
                curve = .gauge(drawn)
            }
        }
        self.curve = curve
        self.fit = fit
        self.problem = problem ?? (curve == nil ? "gave no energy" : nil)
    }

    /// A counter that is renewed more often tells nothing of a lag that would matter.
    private static let fastPeriod = 0.02

    private static func fit(
        _ series: CounterSeries, _ curve: CounterCurve, _ cycles: CycleTimeline?, isVoid: (Span) -> Bool
    ) -> Result<PhaseFit, Unavailable>? {
        guard let cycles, let period = series.period else { return nil }
        guard period.seconds > min(fastPeriod, cycles.shortestPhase / periodsInWindow) else { return nil }
        return PhaseFit.of(
            series, curve.moments, cycles, loadedIdle: curve.watts(of: Part.loadedIdle.rawValue),
            isVoid: isVoid)
    }

    /// The longest time that may pass between two renewals of the value, or that a gauge averages over,
    /// seconds.
    public var period: Double? {
        if case .gauge(let curve) = curve { return curve.age }
        return counter?.period?.upper
    }

    /// For a record: how often the value is renewed, as far as the reads tell.
    var periodFigure: Figure {
        (counter?.period ?? gauge?.period)?.figure ?? .unavailable("the value never moved")
    }

    /// It has given no energy, and was not read for long enough to say that it gives none.
    var isUndecided: Bool {
        if let counter {
            return counter.goodReads > 0 && !counter.everMoved && !SourceJudge.hasWatched(counter)
        }
        return gauge.map { $0.readings.count == 1 && $0.implausible == 0 } ?? false
    }

    /// Stretches without energy, in order of time.
    public var voids: [CounterSeries.Void] { stretches.all }

    /// The void stretch that a window touches, if any.
    public func void(touching span: Span) -> CounterSeries.Void? { stretches.first(touching: span) }

    /// A phase whose bounds are this share of its energy is known well enough although the counter is slow
    /// against its windows; the same share is what one period in 20 allows.
    static let acceptedShare = 0.05
    private static let periodsInWindow = 20.0
    static let spansInWindow = 3.0
    /// Energy that may be off by more is told to nobody.
    static let uselessShare = 0.5

    /// The sum over windows; the windows are in order and do not overlap.
    ///
    /// - Parameter judged: whether a sum too uncertain to tell phases apart is refused.
    func energy(over spans: [Span], judged: Bool = true) -> Result<EnergyEstimate, Unavailable> {
        if let problem { return .failure(Unavailable(problem)) }
        guard let curve else { return .failure(Unavailable("gave no energy")) }
        guard !spans.isEmpty else { return .failure(Unavailable("no such window in this run")) }
        for span in spans {
            if let void = void(touching: span) { return .failure(Unavailable("void: " + void.reason)) }
        }
        if judged, isForFit(spans) {
            if let energy = fitted?.energy(over: spans, unit: unit) { return .success(energy) }
            if case .failure(let why) = fit { return withoutFit(spans, curve, why) }
        }
        return edges(spans, curve, judged: judged)
    }

    /// Windows of a slow counter whose fit was refused, as far as edges tell them all the same.
    private func withoutFit(
        _ spans: [Span], _ curve: Curve, _ why: Unavailable
    ) -> Result<EnergyEstimate, Unavailable> {
        // Cycles in a row may be known by their two outer edges.
        if stretches(of: spans).count == 1, case .success(let energy) = edges(spans, curve, judged: true) {
            return .success(energy)
        }
        return bounded(spans, curve) ?? .failure(ofLog(why))
    }

    /// Windows that no fit separates from the little between them; nil where that may be too much.
    private func bounded(_ spans: [Span], _ curve: Curve) -> Result<EnergyEstimate, Unavailable>? {
        guard let bound = RestBound(line, spans: spans), void(touching: bound.whole) == nil,
            let all = edges([bound.whole], curve, judged: true).value,
            let windows = edges(spans, curve, judged: false).value?.windows
        else { return nil }
        return bound.rest(of: all, windows: windows).map { .success($0) }
    }

    /// The time between two renewals of the value as it is best known, seconds; `period` is its upper bound.
    var nominalPeriod: Double { counter?.period?.seconds ?? period ?? .infinity }

    /// Whether phases of the cycles are too short for this source's edges.
    var needsDraws: Bool {
        guard let fit = fit?.value else { return false }
        return nominalPeriod * Self.periodsInWindow > fit.timeline.shortestPhase
    }

    private var unit: Double { (counter?.resolution ?? 0) * (counter?.traits.scale ?? 0) }

    /// Whether windows are too short for edges and come often enough for a fit.
    private func isForFit(_ spans: [Span]) -> Bool {
        guard spans.count >= CycleTimeline.fewestCycles else { return false }
        let lengths = stretches(of: spans)
        return nominalPeriod * Self.periodsInWindow > lengths[lengths.count / 2]
    }

    /// The lengths of windows, ascending, those without a gap to speak of between them as one: they have two
    /// edges that matter, the first begin and the last end.
    private func stretches(of spans: [Span]) -> [Double] {
        let gap = nominalPeriod / Self.periodsInWindow
        var lengths: [Double] = []
        var last: Span?
        for span in spans {
            if let last, (span.begin - last.end).seconds.value <= gap {
                lengths[lengths.count - 1] += span.seconds
            } else {
                lengths.append(span.seconds)
            }
            last = span
        }
        return lengths.sorted()
    }

    private func edges(
        _ spans: [Span], _ curve: Curve, judged: Bool
    ) -> Result<EnergyEstimate, Unavailable> {
        var sum = EdgeSum()
        var windows: [Double] = []
        var sampling = 0.0
        for span in spans {
            let settled = settledBegin(of: span)
            switch (curve.edge(at: settled), curve.edge(at: span.end)) {
            case (.failure(let why), _), (_, .failure(let why)): return .failure(why)
            case (.success(let begin), .success(let end)):
                sum.add(begin, at: settled, end, at: span.end)
                // The part left out at the start is taken to be like the rest.
                let used = (span.end - settled).seconds.value
                windows.append((end.joules - begin.joules) * (used > 0 ? span.seconds / used : 1))
            }
            if case .gauge(let gauge) = curve {
                let part = gauge.sampling(span)
                sampling += part * part
            }
        }
        let edges = sum.half()
        // A steady power is rounded alike each time.
        let rounded = (gauge?.resolution ?? 0) / 2 * spans.reduce(0) { $0 + $1.seconds }
        let half = (edges * edges + sampling + rounded * rounded).squareRoot()
        let joules = windows.reduce(0, +)
        if judged, let refusal = refusal(joules: joules, half: half, spans: spans) {
            return .failure(refusal)
        }
        return .success(
            EnergyEstimate(
                joules: joules, low: max(0, joules - half), high: joules + half + wrapStep(spans),
                method: method, windows: windows))
    }

    /// A gauge's first averaging time still tells of what was before, and is not used where the window is
    /// long enough to do without.
    private func settledBegin(of span: Span) -> Instant {
        guard let averaging = gauge?.averaging, averaging > 0, isSettled(span.seconds) else {
            return span.begin
        }
        return span.begin + Nanoseconds(Seconds(averaging))
    }

    /// What a gauge's value tells of, seconds: the time it averages over, where nobody names one the time from
    /// one value to the next; never less than the time between reads.
    private var told: Double? {
        gauge.map { max($0.averaging ?? $0.period?.seconds ?? 0, $0.interval) }
    }

    private func isSettled(_ seconds: Double) -> Bool {
        told.map { seconds >= Self.spansInWindow * $0 } ?? false
    }

    /// A single window is known well enough from this length on, seconds.
    var shortestWindow: Double {
        told.map { Self.spansInWindow * $0 } ?? Self.periodsInWindow * nominalPeriod
    }

    /// The one step that each wrap may have hidden, joules.
    private func wrapStep(_ spans: [Span]) -> Double {
        guard let counter, !counter.wraps.isEmpty else { return 0 }
        let seen = spans.reduce(0) { sum, span in
            sum + counter.wraps.count { $0.begin <= span.end && $0.end >= span.begin }
        }
        return Double(seen) * counter.resolution * counter.traits.scale
    }

    /// Why the sum tells nothing of its phase, if it does not.
    private func refusal(joules: Double, half: Double, spans: [Span]) -> Unavailable? {
        let lengths = stretches(of: spans)
        let typical = lengths[lengths.count / 2]
        let share = joules > 0 ? half / joules : .infinity
        if typical >= shortestWindow {
            guard share > Self.uselessShare else { return nil }
            return Unavailable("too uncertain: the reads about the windows are too far apart")
        }
        // What an average has blurred, its own readings do not show: no bound can be had from them.
        guard gauge != nil || share > Self.acceptedShare else { return nil }
        let meaning = gauge?.averaging == nil ? "is renewed every" : "is the mean of"
        return ofLog(
            Unavailable(
                "phases not separable: the value \(meaning) \(short(told ?? nominalPeriod)) s, the windows last "
                    + "\(short(typical)) s"))
    }

    /// A refusal of a meter's log names how often it has a row, since that is the user's to change.
    private func ofLog(_ why: Unavailable) -> Unavailable {
        guard line.interface.hasPrefix("csv:"), let spacing = line.updatePeriodNanoseconds else { return why }
        let rows = "the log has a row every \(short(Nanoseconds(spacing).seconds.value)) s: log more often"
        return Unavailable("\(why.reason) (\(rows))")
    }

    private var method: String {
        let derivation = line.derivation.map { ", \($0)" } ?? ""
        guard let gauge else {
            guard let fit = fit?.value, fit.lag != 0 else { return "counter at edges" + derivation }
            return "counter at edges, \(fit.lagText)" + derivation
        }
        guard let averaging = gauge.averaging else {
            return "integrated, averaging time unknown" + derivation
        }
        return "integrated, averaging time \(short(averaging)) s" + derivation
    }
}
