import Testing

@testable import Analysis

/// A run that never took place, with every length known: what the figures must come out as.
struct SyntheticRun {
    /// Seconds that each phase of a cycle takes.
    struct Shape {
        var prefill = 0.5
        /// One decode step.
        var step = 0.01
        var gap = 0.01
    }

    var seconds = 600.0
    var prompt = 128
    var generated = 101
    var shape = Shape()
    /// Seconds of the decode step at a position of a cycle that began this long after t = 0.
    var step: (_ position: Int, _ time: Double) -> Double
    /// Ends the sustained part after so many cycles.
    var cycles: Int?
    /// Parts that never happen.
    var without: Set<Part> = []
    var warmupCycles = 2
    /// Seconds that the cold load takes.
    var loadCold = 2.0
    var sendsStamps = true
    /// Token stamps a batch.
    var batch = 40
    /// Degrees of `hwmon:cpu/temp1` at a moment, seconds from the trace's start; nil for no such source.
    var temperature: ((Double) -> Double)?
    /// Watts of `rapl:package-0` over the whole run; nil for no such source.
    var watts: Double?

    init() { step = { _, _ in 0.01 } }

    private static let startNanoseconds: UInt64 = 5_000_000_000_000

    /// The header's stamp.
    static let start = Instant(nanoseconds: startNanoseconds)

    static func moment(_ seconds: Double) -> Instant { start + Nanoseconds(Seconds(seconds)) }

    var header: TraceHeader {
        TraceHeader(
            id: "20261130T005600Z-synthetic-0a1b2c", wallClock: "2026-11-30T00:56:00Z", start: Self.start,
            sleptNanoseconds: 0,
            tool: ToolBuild(version: "0.1.0", commit: "abc", buildType: "release", compiler: "Swift 6.3"),
            options: .object(["seconds": .integer(Int64(seconds))]),
            workload: Workload(
                name: "custom-p\(prompt)-n\(generated)", promptTokens: prompt, generatedTokens: generated,
                contextTokens: prompt + generated, seconds: Seconds(seconds), cycles: cycles,
                sampling: "greedy", seed: 0))
    }

    /// The lines of the trace, the end line last.
    var lines: [TraceLine] {
        var clock = LineClock(run: self)
        clock.lines.append(.header(header))
        clock.facts()
        clock.idle(.idleBefore, seconds: 15)
        clock.load(.loadCold, seconds: loadCold)
        clock.load(.loadWarm, seconds: 0.5)
        clock.part(.firstToken) { $0.generation(.firstToken, generated: 1) }
        clock.memory(.afterFirstToken, rss: 1_400, anonymous: 300, mapped: 1_100)
        clock.idle(.loadedIdle, seconds: 15)
        clock.part(.fromIdle) { $0.generation(.fromIdle, generated: generated) }
        clock.part(.warmup) { clock in
            for _ in 0..<warmupCycles { clock.generation(.warmup, generated: generated) }
        }
        clock.sustained()
        clock.unload()
        clock.idle(.idleAfter, seconds: 10)
        clock.end()
        return clock.lines
    }

    var bytes: [UInt8] {
        get throws { try lines.flatMap { try $0.encodedLine() } }
    }

    var record: Record {
        get throws { Analyze.record(from: try Trace.parse(try bytes, name: "synthetic")) }
    }
}

/// Writes the lines of a synthetic run as its time goes by.
struct LineClock {
    let run: SyntheticRun
    var lines: [TraceLine] = []
    private var now = 0.1
    private var cycle = 0
    /// Seconds of t = 0 since the trace's start.
    private var zero = 0.0

    init(run: SyntheticRun) { self.run = run }

    private func mark(_ name: MarkLine.Name, _ part: Part, cycle: Int? = nil) -> TraceLine {
        .mark(MarkLine(name, part: part, time: SyntheticRun.moment(now), cycle: cycle))
    }

    mutating func facts() {
        var engine = EngineLine(kind: "exec:scripted", version: "1.0")
        engine.pids = [42]
        engine.libraries = ["/usr/lib/libllama.so.0": .known("ab12")]
        lines.append(
            .artifact(
                ArtifactLine(path: "m.gguf", sizeBytes: 1_000, sha256: .known("cd34"), format: "gguf v3")))
        lines.append(.engine(engine))
        lines.append(
            .conditions(
                ConditionsLine(moment: .before, checks: [Condition("release_build", .pass, seen: "release")]))
        )
        if run.temperature != nil {
            lines.append(
                .source(
                    SourceLine(
                        index: 0, id: "hwmon:cpu/temp1", kind: .gauge, quantity: .temperature, scale: 1e-3,
                        scope: .init(domain: "cpu", device: "cpu-0"), interface: "hwmon",
                        intervalNanoseconds: 1_000_000_000)))
        }
    }

    mutating func part(_ part: Part, _ body: (inout LineClock) -> Void) {
        guard !run.without.contains(part) else { return }
        lines.append(mark(.begin, part))
        body(&self)
        lines.append(mark(.end, part))
        now += 0.05
    }

    private mutating func wait(_ seconds: Double) {
        let end = now + seconds
        if let temperature = run.temperature {
            var time = now
            while time < end {
                let value = Int64((temperature(time) * 1_000).rounded())
                lines.append(
                    .sample(
                        SampleLine(
                            time: SyntheticRun.moment(time), sources: [0], deltas: [8_000], values: [value])))
                time += 1
            }
        }
        now = end
    }

    mutating func idle(_ part: Part, seconds: Double) { self.part(part) { $0.wait(seconds) } }

    mutating func load(_ part: Part, seconds: Double) {
        if part == .loadCold { memory(.beforeLoad, rss: 100, anonymous: 60, mapped: 40) }
        self.part(part) { clock in
            clock.now += 0.2
            clock.lines.append(clock.mark(.loadBegin, part))
            clock.now += seconds
            clock.lines.append(clock.mark(.loadEnd, part))
            clock.now += 0.1
        }
        memory(.afterLoad, rss: 1_200, anonymous: 160, mapped: 1_040)
    }

    mutating func memory(_ point: MemoryLine.Point, rss: UInt64, anonymous: UInt64, mapped: UInt64) {
        lines.append(
            .memory(
                MemoryLine(
                    point: point, time: SyntheticRun.moment(now),
                    bytes: ["rss": rss, "anonymous": anonymous, "file_mapped": mapped])))
    }

    /// - Parameter deadline: seconds from the trace's start after which the generation is cut at a token.
    mutating func generation(_ part: Part, generated: Int, deadline: Double = .infinity) {
        let number = cycle
        cycle += 1
        lines.append(mark(.submit, part, cycle: number))
        wait(run.shape.prefill)
        lines.append(mark(.firstToken, part, cycle: number))
        let begin = now
        var stamps = [now]
        while stamps.count < generated, now < deadline {
            now += run.step(stamps.count - 1, begin - zero)
            stamps.append(now)
        }
        if run.sendsStamps { send(stamps, cycle: number) }
        lines.append(mark(.lastToken, part, cycle: number))
        lines.append(
            .done(
                DoneLine(
                    part: part, cycle: number, promptTokens: run.prompt, generatedTokens: stamps.count,
                    stop: stamps.count < generated ? "deadline" : "length", tokenHash: nil)))
        now += run.shape.gap
    }

    private mutating func send(_ stamps: [Double], cycle: Int) {
        for first in stride(from: 0, to: stamps.count, by: run.batch) {
            let batch = stamps[first..<min(stamps.count, first + run.batch)].map {
                SyntheticRun.moment($0).nanoseconds
            }
            lines.append(
                .tokens(
                    TokensLine(
                        cycle: cycle, stream: 0, first: first, start: Instant(nanoseconds: batch[0]),
                        deltas: zip(batch.dropFirst(), batch).map { $0 - $1 })))
        }
    }

    mutating func sustained() {
        part(.sustained) { clock in
            clock.zero = clock.now
            clock.lines.append(clock.mark(.sustainedStart, .sustained))
            let deadline = clock.zero + clock.run.seconds
            var done = 0
            while clock.now < deadline, done < clock.run.cycles ?? .max {
                clock.generation(.sustained, generated: clock.run.generated, deadline: deadline)
                done += 1
            }
        }
    }

    mutating func unload() {
        memory(.atEnd, rss: 1_500, anonymous: 350, mapped: 1_150)
        part(.unload) { clock in
            clock.lines.append(clock.mark(.unloadBegin, .unload))
            clock.now += 0.3
            clock.lines.append(clock.mark(.unloadEnd, .unload))
        }
    }

    /// The counter of the whole run, read ten times a second.
    private mutating func count() {
        guard let watts = run.watts else { return }
        var source = SourceLine(
            index: 1, id: "rapl:package-0", kind: .counter, quantity: .energy, scale: 1e-6,
            scope: .init(domain: "package", device: "package-0"), interface: "powercap:intel-rapl",
            intervalNanoseconds: 100_000_000)
        source.updatePeriodNanoseconds = 1_000_000
        lines.append(.source(source))
        for tick in 0..<Int(now * 10) {
            let time = Double(tick) / 10
            lines.append(
                .sample(
                    SampleLine(
                        time: SyntheticRun.moment(time), sources: [1], deltas: [20_000],
                        values: [Int64(watts * time * 1e6)])))
        }
    }

    mutating func end() {
        lines.append(
            .overhead(
                OverheadLine(
                    samplerCPUNanoseconds: 1_000_000, processCPUNanoseconds: 5_000_000,
                    wallNanoseconds: 1_000_000_000, ticks: 10, missedDeadlines: 1,
                    worstJitterNanoseconds: 90_000, lostTicks: 0, peakRSSBytes: 20_000_000)))
        count()
        lines.append(.outcome(OutcomeLine(.completed)))
        lines.append(.end(EndLine(time: SyntheticRun.moment(now), sleptNanoseconds: 0)))
    }
}

/// Asserts that a figure has a number close to `expected`.
func expect(
    _ figure: Figure, near expected: Double, within relative: Double = 1e-6,
    _ location: SourceLocation = #_sourceLocation
) {
    guard let number = figure.number else {
        Issue.record("unavailable: \(figure.reason ?? "")", sourceLocation: location)
        return
    }
    #expect(abs(number - expected) <= abs(expected) * relative, "\(number)", sourceLocation: location)
}
