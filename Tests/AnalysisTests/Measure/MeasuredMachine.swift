@testable import Analysis

/// A machine that idles, runs a command some times, and idles again; with the facts that `sustain measure`
/// would gather of it.
struct MeasuredMachine {
    var idle = 20.0
    var idleSeconds = 15.0
    /// Power of each run over its length.
    var watts: [Double] = [85]
    var seconds = 10.0
    /// Between two runs: what starting a process takes.
    var gap = 0.001
    var period = 0.001
    var step = 1.0 / 16_384
    var declaresPeriod = true

    /// The course of the power, and the runs.
    func course() -> (course: PowerCourse, runs: [Span], before: Span?, after: Span?, end: Double) {
        var course = PowerCourse(idle)
        var time = 1.0037
        let start = time
        time += idleSeconds
        let before = idleSeconds > 0 ? span(start, time) : nil
        time += 0.3
        var runs: [Span] = []
        for power in watts {
            course.change(at: time, to: power)
            runs.append(span(time, time + seconds))
            time += seconds
            course.change(at: time, to: idle)
            time += gap
        }
        time += 2
        let after = idleSeconds > 0 ? span(time, time + idleSeconds) : nil
        return (course, runs, before, after, time + idleSeconds + 1)
    }

    func facts() -> (facts: MeasureFacts, truth: PowerCourse) {
        let (course, runs, before, after, end) = course()
        var counter = SimulatedCounter(course: course, period: period, step: step)
        counter.range = 262_143_328_850
        counter.phase = 0.000_37
        var line = counter.line(0)
        if declaresPeriod { line.updatePeriodNanoseconds = Int64(period * 1e9) }
        var facts = MeasureFacts(
            command: ["work", "hard"], repetitions: watts.count, label: nil,
            started: "2026-11-30T00:00:00Z", start: moment(0),
            tool: ToolBuild(version: "0", commit: "0", buildType: "debug", compiler: "swift"),
            sources: [line], capabilities: [CapabilitiesLine.Row(id: line.id, status: .ok)])
        // Only fast counters are read at the edges of the runs.
        let edges = period <= 0.01 ? runs.flatMap { [$0.begin, $0.end] } : []
        let marks = edges.map { ($0 - moment(0)).seconds.value }
        let sampler = SimulatedSampler()
        facts.samples = sampler.samples([counter], at: sampler.times(until: end, marks: marks))
        facts.runs = runs.map { run in
            MeasureFacts.Run(
                span: run, exitCode: 0, user: Nanoseconds(run.length.value / 2),
                system: Nanoseconds(run.length.value / 4))
        }
        facts.idleBefore = before
        facts.idleAfter = after
        if idleSeconds == 0 { facts.whyNoIdle = "--idle 0: no idle window" }
        return (facts, course)
    }
}

/// The bounds of a figure that has them.
func intervalBounds(_ figure: Figure) -> (low: Double, high: Double)? {
    if case .value(_, .bounds(let low, let high), _) = figure { (low, high) } else { nil }
}
