/// The event counters of the engine's processes, and what they say of phases.
struct EventLedger: Sendable {
    /// All counters of one event in one process: one, or one for each kind of cores.
    private struct Counters {
        var series: [EventSeries] = []
        var excludesKernel = false

        /// A thread is on cores of one kind at a time: counts add up, and so do the times of counting, while
        /// each counter's time enabled is that of all threads.
        func amount(in span: Span) -> Result<EventAmount, Unavailable> {
            var sum = EventAmount()
            for one in series {
                switch one.amount(in: span) {
                case .success(let amount): sum = sum + amount
                case .failure(let why): return .failure(why)
                }
            }
            sum.enabled /= Double(max(series.count, 1))
            sum.distance /= Double(max(series.count, 1))
            return .success(sum)
        }
    }

    /// By event, then by the device of the process.
    private var counters: [String: [String: Counters]] = [:]
    private let processes: Set<String>
    private let reasons: [String: String]
    private let absent: String

    /// Reads further from the edges than this share of the windows say too little of them.
    private static let longestDistance = 0.05
    /// A counter that counted for less of the time has taken turns with others.
    private static let wholeTime = 0.999

    init(_ trace: Trace) {
        processes = Set((trace.engine?.pids ?? []).map { "pid-\($0)" })
        var reasons: [String: String] = [:]
        for row in trace.capabilities where row.status != .ok {
            guard let event = Self.event(of: row.id) else { continue }
            if reasons[event] == nil { reasons[event] = row.reason ?? row.status.rawValue }
        }
        self.reasons = reasons
        absent =
            trace.engine?.location == "remote"
            ? "engine runs elsewhere" : reasons["counters"] ?? "not counted in this run"
        let lines = trace.sources.filter { $0.interface == "perf" && $0.scope.domain == "process" }
        let reads = SourceReads(samples: trace.samples, wanted: lines.map(\.index))
        for line in lines where !line.id.contains("/") {
            guard let event = Self.event(of: line.id), line.scale > 0, line.scale.isFinite else { continue }
            func times(_ suffix: String) -> [(tick: Int, read: CounterRead)] {
                let found = lines.first { $0.id == line.id + suffix && $0.scope == line.scope }
                return found.map { reads[$0.index] } ?? []
            }
            let series = EventSeries(
                line, counts: reads[line.index], enabled: times("/enabled"), running: times("/running"))
            counters[event, default: [:]][line.scope.device, default: Counters()].series.append(series)
            if line.excludesKernel == true {
                counters[event]?[line.scope.device]?.excludesKernel = true
            }
        }
    }

    /// "cycles" of "process:cycles@cpu_core/enabled"; nil for other ids.
    private static func event(of id: String) -> String? {
        guard id.hasPrefix("process:") else { return nil }
        return String(id.dropFirst("process:".count).prefix { $0 != "@" && $0 != "/" })
    }

    /// Every figure of a phase.
    ///
    /// - Parameter windows: in order of time; `tokens` is the name of what they are divided by.
    func figures(_ windows: [(span: Span, tokens: Int)], per tokens: String) -> EventFigures {
        EventFigures { figure($0, windows, per: tokens) }
    }

    private func figure(_ event: String, _ windows: [(span: Span, tokens: Int)], per name: String) -> Figure {
        guard let byProcess = counters[event] else { return .unavailable(reasons[event] ?? absent) }
        guard processes.isSubset(of: byProcess.keys) else {
            return .unavailable("not counted in every process of the engine")
        }
        var amounts: [EventAmount] = []
        for window in windows {
            var sum = EventAmount()
            for process in byProcess.keys.sorted() where processes.contains(process) {
                switch byProcess[process]?.amount(in: window.span) {
                case .success(let amount): sum = sum + amount
                case .failure(let why): return .unavailable(why.reason)
                case nil: continue
                }
            }
            sum.distance /= Double(max(processes.count, 1))
            amounts.append(sum)
        }
        let isPart = byProcess.values.contains { $0.excludesKernel }
        return figure(
            amounts, windows, method: "\(event) / \(name)" + (isPart ? ", user mode only" : ""))
    }

    private func figure(
        _ amounts: [EventAmount], _ windows: [(span: Span, tokens: Int)], method: String
    ) -> Figure {
        let whole = amounts.reduce(EventAmount(), +)
        let seconds = windows.reduce(0) { $0 + $1.span.seconds }
        let tokens = windows.reduce(0) { $0 + $1.tokens }
        guard tokens > 0 else { return .unavailable("no tokens") }
        guard whole.distance <= Self.longestDistance * seconds else {
            return .unavailable("the reads about the windows are too far from their edges")
        }
        var method = "\(method), ratio of sums over \(windows.count) whole cycles"
        var scale = 1.0
        if whole.running < Self.wholeTime * whole.enabled {
            guard whole.running > 0 else {
                return .unavailable("the counter never had a register to count with in these windows")
            }
            scale = whole.enabled / whole.running
            let percent = (100 * whole.running / whole.enabled).inTenths
            method += "; estimate, scaled up: counters took turns, this one counted \(percent) % of the time"
        }
        let value = scale * whole.count / Double(tokens)
        let pairs = zip(amounts, windows).map { (y: $0.count, x: Double($1.tokens)) }
        switch RatioSpread.relativeHalfWidth(pairs) {
        case .failure(let why): return Figure(value, .unavailable(why), method: method)
        case .success(let spread):
            let (random, edges) = (value * spread, scale * whole.doubt / Double(tokens))
            let half = (random * random + edges * edges).squareRoot()
            return Figure(value, .bounds(low: max(0, value - half), high: value + half), method: method)
        }
    }
}
