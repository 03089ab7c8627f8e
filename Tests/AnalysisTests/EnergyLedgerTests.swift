import Testing

@testable import Analysis

/// Trace lines of one run: counters read together, with faults put in.
private struct Bench {
    var lines: [SourceLine] = []
    var samples: [SampleLine]

    init(_ counters: [(SimulatedCounter, SourceLine)], at times: [Double]) {
        // So that windows of a second can be told apart by ticks alone.
        lines = counters.map { entry in
            var line = entry.1
            line.updatePeriodNanoseconds = 1_000_000
            return line
        }
        samples = SimulatedSampler().samples(counters.map(\.0), at: times)
    }

    mutating func fail(_ source: Int, in stretch: ClosedRange<Double>) {
        change(source, in: stretch) { _ in nil }
    }

    mutating func change(_ source: Int, in stretch: ClosedRange<Double>, _ change: (Int64?) -> Int64?) {
        let range = moment(stretch.lowerBound)...moment(stretch.upperBound)
        for index in samples.indices where range.contains(samples[index].time) {
            samples[index].values[source] = change(samples[index].values[source])
        }
    }
}

private let ticks = SimulatedSampler().times(until: 60)

@Suite struct EnergyLedgerTests {
    private func counter(
        _ index: Int, _ id: String, _ domain: String, _ device: String, watts: Double, range: Int64,
        start: Double = 0
    ) -> (SimulatedCounter, SourceLine) {
        var course = PowerCourse(watts)
        for step in 1..<120 { course.change(at: Double(step) / 2, to: watts * (step % 2 == 0 ? 1 : 1.2)) }
        var counter = SimulatedCounter(course: course, period: 0.001, start: start)
        counter.range = range
        return (counter, counter.line(index, id: id, domain: domain, device: device))
    }

    /// Two packages and two dram zones of different ranges; one dram wraps: each is mended before any sum.
    @Test func eachCounterIsUnwrappedBeforeTheSum() throws {
        let counters = [
            counter(0, "rapl:package-0", "package", "package-0", watts: 100, range: 262_143_328_850),
            counter(1, "rapl:package-1", "package", "package-1", watts: 80, range: 262_143_328_850),
            counter(2, "rapl:package-0/dram", "dram", "package-0", watts: 10, range: 65_712_999_613),
            counter(
                3, "rapl:package-1/dram", "dram", "package-1", watts: 12, range: 65_712_999_613, start: 65_500
            ),
        ]
        let bench = Bench(counters, at: ticks)
        let ledger = EnergyLedger(sources: bench.lines, samples: bench.samples, marks: [])
        let window = PhaseSpans(spans: [span(5, 45)])
        let truth = counters.reduce(0) { $0 + $1.0.course.energy(over: window) }
        let total = try ledger.energy(over: window).get()
        #expect(abs(total.joules / truth - 1) < 0.005)
        #expect(total.low <= truth && truth <= total.high)
        let summaries = ledger.summaries(since: moment(0))
        #expect(summaries.map(\.wraps) == [0, 0, 0, 1])
        #expect(summaries.allSatisfy { $0.status == .ok && $0.voidIntervals.isEmpty })
        #expect(ledger.total.scope == "package + dram")
        for (index, entry) in counters.enumerated() {
            let energy = try ledger.energy(of: index, over: window).get()
            #expect(abs(energy.joules / entry.0.course.energy(over: window) - 1) < 0.005)
        }
    }

    @Test func aVoidStretchTakesTheEnergyOfItsWindowsAndOfTheTotal() throws {
        var bench = Bench(
            [
                counter(
                    0, "rapl:package-0", "package", "package-0", watts: 100, range: 262_143_328_850,
                    start: 9000),
                counter(1, "rapl:package-0/dram", "dram", "package-0", watts: 10, range: 65_712_999_613),
            ], at: ticks)
        bench.change(0, in: 30...60) { $0.map { $0 - 9_000_000_000 } }
        let ledger = EnergyLedger(sources: bench.lines, samples: bench.samples, marks: [])
        let clear = PhaseSpans(spans: [span(5, 25)])
        let hit = PhaseSpans(spans: [span(5, 25), span(29, 31)])
        #expect(ledger.energy(over: clear).value != nil)
        #expect(ledger.energy(over: PhaseSpans(spans: [span(31, 50)])).value != nil)
        #expect(ledger.energy(of: 0, over: hit).reason?.hasPrefix("void: reset") == true)
        #expect(ledger.energy(of: 1, over: hit).value != nil)
        #expect(ledger.energy(over: hit).reason?.hasPrefix("rapl:package-0: void: reset") == true)
        #expect(ledger.void(touching: hit.spans[1]) != nil)
        #expect(ledger.void(touching: hit.spans[0]) == nil)
        let summary = try #require(ledger.summaries(since: moment(0)).first)
        #expect(summary.resets == 1)
        let void = try #require(summary.voidIntervals.first)
        #expect(void.begin > 29.7 && void.begin < 30 && void.end > 30 && void.end < 30.2)
    }

    /// Two seconds of EIO in the middle of a window, and a window wholly inside them.
    @Test func energyOverAGapOfErrorsIsRight() throws {
        let entry = counter(0, "rapl:package-0", "package", "package-0", watts: 100, range: 262_143_328_850)
        var bench = Bench([entry], at: ticks)
        bench.fail(0, in: 20...22)
        let ledger = EnergyLedger(sources: bench.lines, samples: bench.samples, marks: [])
        for window in [span(10, 40), span(19.5, 22.5), span(20.5, 21.5)] {
            let truth = entry.0.course.energy(over: window)
            let energy = try ledger.energy(over: PhaseSpans(spans: [window])).get()
            #expect(energy.low <= truth && truth <= energy.high)
        }
        let long = try ledger.energy(over: PhaseSpans(spans: [span(10, 40)])).get()
        #expect(abs(long.joules / entry.0.course.energy(over: span(10, 40)) - 1) < 0.005)
    }

    @Test func aWindowThatWasNotReadHasNoEnergy() {
        let entry = counter(0, "rapl:package-0", "package", "package-0", watts: 100, range: 262_143_328_850)
        let bench = Bench([entry], at: ticks)
        let ledger = EnergyLedger(sources: bench.lines, samples: bench.samples, marks: [])
        #expect(ledger.energy(over: PhaseSpans(spans: [span(50, 70)])).reason?.contains("not read") == true)
        #expect(ledger.energy(over: PhaseSpans(spans: [])).reason != nil)
        #expect(ledger.energy(of: 7, over: PhaseSpans(spans: [span(5, 10)])).reason == "no energy source")
    }

    @Test func suspendsVoidTheWindowsTheyTouch() throws {
        let entry = counter(0, "rapl:package-0", "package", "package-0", watts: 100, range: 262_143_328_850)
        let bench = Bench([entry], at: ticks)
        var trace = EnergyTraces.trace(bench.lines, bench.samples, [])
        var slept = SourceLine(
            index: 9, id: Suspends.sourceID, kind: .gauge, quantity: .time, scale: 1e-9,
            scope: SourceLine.Scope(domain: "system", device: "clock"), interface: "clock_gettime",
            intervalNanoseconds: 1_000_000_000)
        slept.intervalNanoseconds = 1_000_000_000
        trace.sources.append(slept)
        for second in 0..<60 {
            trace.samples.append(
                SampleLine(
                    time: moment(Double(second) + 0.05), sources: [9], deltas: [500],
                    values: [second < 30 ? 5_000 : 60_000_005_000]))
        }
        trace.end = EndLine(time: moment(60), sleptNanoseconds: 60_000_000_000)
        let ledger = EnergyLedger(trace: trace)
        #expect(ledger.energy(over: PhaseSpans(spans: [span(5, 25)])).value != nil)
        #expect(ledger.energy(over: PhaseSpans(spans: [span(35, 50)])).value != nil)
        #expect(ledger.energy(over: PhaseSpans(spans: [span(25, 35)])).reason?.contains("slept") == true)
        // Without the source only that it slept is known, not when.
        trace.sources.removeLast()
        let blind = EnergyLedger(trace: trace)
        #expect(blind.energy(over: PhaseSpans(spans: [span(5, 25)])).reason?.contains("slept") == true)
        trace.end = nil
        #expect(EnergyLedger(trace: trace).energy(over: PhaseSpans(spans: [span(5, 25)])).value != nil)
    }

    @Test func deadFrozenAndMirroredAreFound() throws {
        var course = PowerCourse(100)
        var random = EnergyRandom(seed: 8)
        for step in 1..<120 { course.change(at: Double(step) / 2, to: random.uniform(50...150)) }
        let live = SimulatedCounter(course: course, period: 0.001)
        var copy = live
        copy.start = 500
        let still = SimulatedCounter(course: PowerCourse(0), period: 0.001)
        let stuck = SimulatedCounter(course: PowerCourse(30), period: 0.001)
        var bench = Bench(
            [
                (live, live.line(0)), (copy, copy.line(1, id: "rapl:package-1", device: "package-1")),
                (still, still.line(2, id: "rapl:package-0/dram", domain: "dram")),
                (stuck, stuck.line(3, id: "rapl:package-1/dram", domain: "dram", device: "package-1")),
            ], at: ticks)
        let value = stuck.value(at: 20)
        bench.change(3, in: 20...30) { _ in value }
        let ledger = EnergyLedger(sources: bench.lines, samples: bench.samples, marks: [])
        #expect(ledger.sources.map(\.health.status) == [.ok, .mirrored, .dead, .frozen])
        #expect(ledger.total.includes == ["rapl:package-0", "rapl:package-1/dram"])
        #expect(ledger.total.excludes.count == 2)
        #expect(
            ledger.energy(of: 2, over: PhaseSpans(spans: [span(5, 10)])).reason?.hasPrefix("dead") == true)
        #expect(
            ledger.energy(over: PhaseSpans(spans: [span(25, 26)])).reason?.contains("stood still") == true)
        #expect(ledger.energy(over: PhaseSpans(spans: [span(35, 50)])).value != nil)
    }

    /// The engine names the second board by its PCI address; a name that no source has tells nothing.
    @Test(arguments: [
        (["0000:B3:00.0"], ["nvml:1"]), (["0000:01:00.0"], ["nvml:0", "nvml:1"]), ([], ["nvml:0", "nvml:1"]),
    ])
    func theEngineTellsWhichGPUs(devices: [String], includes: [String]) {
        var random = EnergyRandom(seed: 14)
        let entries = ["65", "b3"].enumerated().map { index, bus in
            var course = PowerCourse(200)
            for step in 1..<60 { course.change(at: Double(step), to: random.uniform(100...600)) }
            let board = SimulatedCounter(course: course, period: 0.1, step: 1e-3, unitsPerJoule: 1e3)
            var line = board.line(index, id: "nvml:\(index)", domain: "gpu-board", device: "GPU-\(index)")
            line.pci = "00000000:\(bus):00.0"
            return (board, line)
        }
        let bench = Bench(entries, at: ticks)
        var trace = EnergyTraces.trace(bench.lines, bench.samples, [])
        trace.engine = EngineLine(kind: "llama", version: "1")
        trace.engine?.devices = devices
        let ledger = EnergyLedger(trace: trace)
        #expect(ledger.total.includes == includes)
        #expect(ledger.total.scope == "GPU only")
    }

    @Test func withoutSourcesEverythingIsUnavailable() {
        let account = EnergyAccount(
            ledger: EnergyLedger(sources: [], samples: [], marks: []), idleBefore: span(0, 15),
            idleAfter: span(50, 60), loadedIdle: PhaseSpans(spans: [span(15, 20)]))
        let figures = account.energyFigures(for: PhaseSpans(spans: [span(20, 40)], tokens: 100))
        for part in [figures.gross, figures.net, figures.netLoaded] {
            for figure in [part.joules, part.watts, part.joulesPerToken, part.tokensPerJoule] {
                #expect(figure.reason == "no energy source")
            }
        }
        #expect(figures.gross.bySource.isEmpty)
        #expect(account.total.unavailable == "no energy source")
    }

    @Test func wrongTracesGiveReasonsNotTraps() {
        let entry = counter(0, "rapl:package-0", "package", "package-0", watts: 100, range: 262_143_328_850)
        var lines = Bench([entry], at: ticks)
        lines.samples.reverse()
        _ = EnergyLedger(sources: lines.lines, samples: lines.samples, marks: [])
        for scale in [0, -1, .nan, .infinity, 1e308] as [Double] {
            var line = entry.1
            line.scale = scale
            let ledger = EnergyLedger(
                sources: [line], samples: Bench([entry], at: ticks).samples,
                marks: [
                    MarkLine(.submit, part: .sustained, time: moment(-1)),
                    MarkLine(.end, part: .warmup, time: moment(0)),
                ])
            #expect(ledger.energy(over: PhaseSpans(spans: [span(5, 45)])).value == nil)
        }
        var far = Bench([entry], at: [0, 0.1, 0.2, 0.3])
        far.samples[2].time = Instant(nanoseconds: .max)
        far.samples[3].time = Instant(nanoseconds: 0)
        let ledger = EnergyLedger(sources: far.lines, samples: far.samples, marks: [])
        _ = ledger.energy(
            over: PhaseSpans(spans: [Span(begin: Instant(nanoseconds: 0), end: Instant(nanoseconds: .max))]))
    }
}

enum EnergyTraces {
    static func trace(_ sources: [SourceLine], _ samples: [SampleLine], _ marks: [MarkLine]) -> Trace {
        var trace = Trace(
            header: TraceHeader(
                id: "20261130T000000Z-test-000000", wallClock: "2026-11-30T00:00:00Z", start: moment(0),
                sleptNanoseconds: 0,
                tool: ToolBuild(version: "0", commit: "0", buildType: "debug", compiler: "swift"),
                options: .object([:]),
                workload: Workload(
                    name: "custom", promptTokens: 128, generatedTokens: 256, contextTokens: 384,
                    seconds: Seconds(600),
                    cycles: nil, sampling: "greedy", seed: 0)))
        trace.sources = sources
        trace.samples = samples
        trace.marks = marks
        return trace
    }
}
