/// The sources that tell of other programs, ready to be asked about any window.
struct ContentionLog: Sendable {
    private let busy: ContextSeries?
    private let steal: ContextSeries?
    /// Of the engine's processes, one a source.
    private let engine: [ContextSeries]
    private let switches: [ContextSeries]
    private let foreign: [ContextSeries]
    private let asked: GPUProcessesLine?
    /// Cores that sustain itself used over the run.
    private let own: Double
    /// Nothing runs here that could be told from other programs.
    private let isRemote: Bool

    init(_ trace: Trace) {
        let times = ContextSeries.of(.time, in: trace)
        let counts = ContextSeries.of(.count, in: trace)
        busy = times.first { $0.source.id == "cpu:busy" }
        steal = times.first { $0.source.id == "cpu:steal" }
        engine = times.filter { $0.source.id == "process:cpu" }
        switches = counts.filter { $0.source.id == "process:involuntary_switches" }
        foreign = counts.filter { $0.source.id.hasPrefix("foreign_gpu_processes") }
        asked = trace.gpuProcesses.flatMap { $0.pidsAreVisible ? $0 : nil }
        isRemote = trace.engine?.location == "remote"
        let wall = Double(trace.overhead?.wallNanoseconds ?? 0)
        own = wall > 0 ? Double(trace.overhead?.processCPUNanoseconds ?? 0) / wall : 0
    }

    func contention(in span: Span) -> Maybe<Contention> {
        guard span.seconds > 0 else { return .unavailable("the window has no length") }
        let found = Contention(
            otherCores: otherCores(span),
            stealCores: steal?.rise(in: span).map { rounded($0 / span.seconds) },
            involuntarySwitches: switched(span),
            foreignGPUProcesses: foreignProcesses(span))
        return found == Contention() ? .unavailable("no source tells of other programs") : .known(found)
    }

    private func otherCores(_ span: Span) -> Double? {
        guard isRemote || !engine.isEmpty, let busy = busy?.rise(in: span) else { return nil }
        let engine = engine.reduce(0) { $0 + ($1.rise(in: span) ?? 0) }
        return rounded(max(0, (busy - engine) / span.seconds - own))
    }

    /// What a series says, and what the driver said when it was asked once.
    private func foreignProcesses(_ span: Span) -> Int? {
        var counts = foreign.compactMap { $0.largest(in: span) }.compactMap { Int(exactly: $0) }
        if let asked, span.contains(asked.time) {
            let engine = Set(asked.enginePids)
            counts += asked.devices.compactMap { $0.pids.value.map { Set($0).subtracting(engine).count } }
        }
        return counts.max()
    }

    private func switched(_ span: Span) -> Double? {
        let counts = switches.compactMap { $0.rise(in: span) }
        return counts.isEmpty ? nil : rounded(counts.reduce(0, +) / span.seconds)
    }

    /// Clock ticks of 10 ms tell no more than thousandths.
    private func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
}

extension ContextSeries {
    /// How far a counter rose in a span, interpolated between the reads about its edges; nil where none of its
    /// reads is near. A fall counts as no rise: the counter began anew.
    func rise(in span: Span) -> Double? {
        guard let first = readings.first, let last = readings.last, readings.count > 1,
            first.time <= span.end, last.time >= span.begin
        else { return nil }
        return max(0, value(at: span.end) - value(at: span.begin))
    }

    private func value(at moment: Instant) -> Double {
        let next = readings.partitioningIndex { $0.time >= moment }
        guard next > 0 else { return readings[0].value }
        guard next < readings.count else { return readings[next - 1].value }
        let (before, after) = (readings[next - 1], readings[next])
        let share = (moment - before.time).seconds.value / (after.time - before.time).seconds.value
        return before.value + (after.value - before.value) * share
    }

    /// The reads within a span and those about its edges.
    private func about(_ span: Span) -> ArraySlice<(time: Instant, value: Double)> {
        let first = readings.partitioningIndex { $0.time >= span.begin }
        let last = readings.partitioningIndex { $0.time > span.end }
        return readings[max(0, first - 1)..<min(readings.count, last + 1)]
    }

    func largest(in span: Span) -> Double? { about(span).map(\.value).max() }

    /// Mean of the reads within a span; nil where there are none.
    func mean(in span: Span) -> Double? {
        let first = readings.partitioningIndex { $0.time >= span.begin }
        let last = readings.partitioningIndex { $0.time > span.end }
        guard first < last else { return nil }
        return readings[first..<last].reduce(0) { $0 + $1.value } / Double(last - first)
    }
}
