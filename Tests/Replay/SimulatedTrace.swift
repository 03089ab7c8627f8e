import Analysis

/// One run of a scenario: its trace, and what its figures would be without noise.
public struct SimulatedTrace {
    public var trace: Trace
    /// Joules a token of the decode phase, of the idle machine's power above, and of the prefill.
    public private(set) var decodePerToken = 0.0
    public private(set) var decodeNetPerToken = 0.0
    public private(set) var prefillPerToken = 0.0
    public private(set) var prefillNetPerToken = 0.0

    private let scenario: Scenario
    private var noise: Noise
    private var idle: Autoregression
    private var course = Course()
    private var time = 0.05
    /// The idle power beneath everything and when it changes to what it is afterwards.
    private var baseline: (before: Double, after: Double, change: Double)

    public init(_ scenario: Scenario, seed: UInt64) {
        self.scenario = scenario
        var noise = Noise(seed: seed)
        idle = Autoregression(correlation: scenario.idleCorrelation, &noise)
        let offset = scenario.idleOffset * scenario.idleWatts
        let before = scenario.idleWatts + offset * noise.next()
        let work = scenario.idleSeconds * 2
        baseline = (before, before + offset * noise.next(), work + scenario.seconds * noise.even(0...1))
        self.noise = noise
        trace = Trace(header: Self.header(scenario, seed: seed))
        course.append(-1, before)
        phases()
        sample()
        trace.outcome = OutcomeLine(.completed)
        trace.end = EndLine(time: Self.moment(time), sleptNanoseconds: 0)
    }

    private static func moment(_ seconds: Double) -> Instant {
        Instant(nanoseconds: 1_000_000_000_000) + Nanoseconds(Seconds(seconds))
    }

    private static func header(_ scenario: Scenario, seed: UInt64) -> TraceHeader {
        TraceHeader(
            id: "20261130T005600Z-replay-\(seed)", wallClock: "2026-11-30T00:56:00Z", start: moment(0),
            sleptNanoseconds: 0,
            tool: ToolBuild(version: "0.0.0", commit: "replay", buildType: "release", compiler: "Swift"),
            options: .object([:]),
            workload: Workload(
                name: "replay", promptTokens: Scenario.promptTokens,
                generatedTokens: Scenario.generatedTokens,
                contextTokens: Scenario.promptTokens + Scenario.generatedTokens,
                seconds: Seconds(scenario.seconds), cycles: nil, sampling: "greedy", seed: 0))
    }

    private func idleWatts(at time: Double) -> Double {
        time < baseline.change ? baseline.before : baseline.after
    }

    private mutating func mark(_ name: MarkLine.Name, _ part: Part, cycle: Int? = nil) {
        trace.marks.append(MarkLine(name, part: part, time: Self.moment(time), cycle: cycle))
    }

    /// Idle, idle with the model, cycles, idle.
    private mutating func phases() {
        rest(.idleBefore, above: 0)
        rest(.loadedIdle, above: scenario.loadedWatts - scenario.idleWatts)
        mark(.begin, .sustained)
        mark(.sustainedStart, .sustained)
        cycles()
        mark(.end, .sustained)
        course.append(time, idleWatts(at: time))
        time += 0.5
        rest(.idleAfter, above: 0)
    }

    private mutating func rest(_ part: Part, above: Double) {
        mark(.begin, part)
        let end = time + scenario.idleSeconds
        var step = time
        while step < end {
            let level = idleWatts(at: step)
            course.append(step, level * (1 + scenario.idleNoise * idle.next(&noise)) + above)
            step += 0.1
        }
        time = end
        mark(.end, part)
    }

    private mutating func cycles() {
        let start = time
        var sums = (seconds: 0.0, idle: 0.0, drift: 0.0, cycles: 0.0)
        var levels = Autoregression(correlation: scenario.cycleCorrelation, &noise)
        let dither = CycleDither(
            cycle: Seconds(scenario.prefill + scenario.decode + scenario.gap),
            shortestPhase: Seconds(min(scenario.prefill, scenario.decode)),
            updatePeriod: Seconds(scenario.period), seed: 7)
        while time < start + scenario.seconds {
            let cycle = Int(sums.cycles)
            let drift = 1 + scenario.drift * ((time - start) / scenario.seconds - 0.5)
            let level = drift * (1 + scenario.cycleNoise * levels.next(&noise))
            let base = idleWatts(at: time)
            mark(.submit, .sustained, cycle: cycle)
            course.append(time, base + (scenario.prefillWatts - scenario.idleWatts) * level)
            time += scenario.prefill * (1 + scenario.lengthNoise * noise.next())
            mark(.firstToken, .sustained, cycle: cycle)
            course.append(time, base + (scenario.decodeWatts - scenario.idleWatts) * level)
            time += scenario.decode * (1 + scenario.lengthNoise * noise.next())
            mark(.lastToken, .sustained, cycle: cycle)
            trace.done.append(
                DoneLine(
                    part: .sustained, cycle: cycle, promptTokens: Scenario.promptTokens,
                    generatedTokens: Scenario.generatedTokens, stop: "length", tokenHash: nil))
            course.append(time, base + scenario.loadedWatts - scenario.idleWatts)
            time += scenario.gap + (scenario.dithers ? dither.gap(after: cycle).value : 0)
            sums.idle += base
            sums.drift += drift
            sums.cycles += 1
        }
        let (base, drift) = (sums.idle / sums.cycles, sums.drift / sums.cycles)
        let decode = scenario.decode / Double(Scenario.generatedTokens - 1)
        let prefill = scenario.prefill / Double(Scenario.promptTokens)
        decodeNetPerToken = (scenario.decodeWatts - scenario.idleWatts) * drift * decode
        prefillNetPerToken = (scenario.prefillWatts - scenario.idleWatts) * drift * prefill
        decodePerToken = decodeNetPerToken + base * decode
        prefillPerToken = prefillNetPerToken + base * prefill
    }

    /// A counter in microjoules, renewed at its period with a little lateness, that shows energy late.
    private mutating func sample() {
        var line = SourceLine(
            index: 0, id: "nvml:0", kind: .counter, quantity: .energy, scale: 1e-6,
            scope: SourceLine.Scope(domain: "gpu-board", device: "GPU-0"), interface: "nvml",
            intervalNanoseconds: Int64(scenario.poll * 1e9))
        line.updatePeriodNanoseconds = Int64(scenario.period * 1e9)
        trace.sources = [line]
        let end = time + 0.05
        var update = scenario.period * noise.even(0...1)
        var next = update + scenario.period * scenario.jitter * noise.even(0...1)
        var shown: Int64 = 1_000_000
        var read = 0.0
        while read < end {
            while next <= read + 5e-6 {
                shown = 1_000_000 + Int64(course.energy(next - scenario.lag) * 1e6)
                update += scenario.period
                next = update + scenario.period * scenario.jitter * noise.even(0...1)
            }
            trace.samples.append(
                SampleLine(time: Self.moment(read), sources: [0], deltas: [10_000], values: [shown]))
            read += scenario.poll
        }
    }
}
