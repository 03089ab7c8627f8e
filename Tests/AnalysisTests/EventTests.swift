import Testing

@testable import Analysis

/// Traces of an engine whose threads run at a known pace: what the figures must come out as.
private struct CountedRun {
    var pids: [Int32] = [42]
    /// One counter of one process: value, enabled and running at a moment, seconds from the start.
    struct Counter {
        var id = "process:instructions"
        var pid: Int32 = 42
        var scale = 1.0
        var excludesKernel: Bool?
        var value: (Double) -> Double
        var enabled: (Double) -> Double = { $0 }
        var running: (Double) -> Double = { $0 }
    }
    var counters: [Counter]
    /// Moments of the reads.
    var reads: [Double]
    var rows: [CapabilitiesLine.Row] = []

    var trace: Trace {
        get throws {
            let header = SyntheticRun().header
            var engine = EngineLine(kind: "exec:scripted", version: "1.0")
            engine.pids = pids
            var lines: [TraceLine] = [.header(header), .engine(engine)]
            if !rows.isEmpty { lines.append(.capabilities(CapabilitiesLine(rows: rows))) }
            for (position, counter) in counters.enumerated() {
                for (word, suffix) in ["", "/enabled", "/running"].enumerated() {
                    var line = SourceLine(
                        index: 3 * position + word, id: counter.id + suffix, kind: .counter,
                        quantity: word == 0 ? .count : .time, scale: word == 0 ? counter.scale : 1e-9,
                        scope: .init(domain: "process", device: "pid-\(counter.pid)"), interface: "perf",
                        intervalNanoseconds: 1_000_000_000)
                    line.excludesKernel = counter.excludesKernel
                    lines.append(.source(line))
                }
            }
            for time in reads {
                let values = counters.flatMap { counter in
                    [counter.value(time), counter.enabled(time) * 1e9, counter.running(time) * 1e9].map {
                        Int64($0.rounded())
                    }
                }
                // 2 ns a read: its middle is 1 ns after the stamp.
                let deltas = values.indices.map { $0 % 3 == 0 ? UInt32(2) : 0 }
                lines.append(
                    .sample(
                        SampleLine(
                            time: SyntheticRun.moment(time), sources: Array(values.indices), deltas: deltas,
                            values: values)))
            }
            return try Trace.parse(try lines.flatMap { try $0.encodedLine() }, name: "counted")
        }
    }

    func figures(_ windows: [(Double, Double)], tokens: Int = 10) throws -> EventFigures {
        EventLedger(try trace).figures(
            windows.map {
                (Span(begin: SyntheticRun.moment($0.0), end: SyntheticRun.moment($0.1)), tokens)
            }, per: "decode steps")
    }
}

private func steps(_ from: Double, _ to: Double, by: Double) -> [Double] {
    Array(stride(from: from, through: to, by: by))
}

@Suite struct EventTests {
    /// A pace of 5e9 instructions a second over half a second for 10 tokens: 2.5e8 a token.
    @Test func countsPerToken() throws {
        let run = CountedRun(counters: [.init(value: { $0 * 5e9 })], reads: steps(0, 3, by: 0.05))
        let figure = try run.figures([(1, 1.5)]).instructionsPerToken
        let value = try #require(figure.number)
        #expect(abs(value / 2.5e8 - 1) < 1e-6)
        guard case .value(_, .unavailable(let why), let method) = figure else {
            Issue.record("\(figure)")
            return
        }
        #expect(why.reason == "fewer than 8 cycles")
        #expect(method == "instructions / decode steps, ratio of sums over 1 whole cycles")
    }

    /// Two paces that change at the edge, with a read 1 ms late: the phases are told apart, and the interval
    /// holds the truth.
    @Test func edgesAreKnownByTheReadsBesideThem() throws {
        // Cycles of 1 s: 0.4 s at 8e9, then 0.6 s at about 2e9 a second.
        let paces = [0, 3, -2, 1, -3, 2, 4, -4, -1, 3, 0, -3, 1, 4, -2, -3].map { 2e9 * (1 + 0.01 * $0) }
        let value = { (time: Double) -> Double in
            let cycle = Int(time)
            let part = time - Double(cycle)
            let before = (0..<cycle).reduce(0) { $0 + 0.4 * 8e9 + 0.6 * paces[$1 % 16] }
            return before + min(part, 0.4) * 8e9 + max(0, part - 0.4) * paces[cycle % 16]
        }
        var reads: [Double] = []
        for cycle in 0...17 { reads += [Double(cycle) + 0.001, Double(cycle) + 0.401] }
        let run = CountedRun(counters: [.init(value: value)], reads: reads)
        let figure = try run.figures((1...16).map { (Double($0) + 0.4, Double($0) + 1) }).instructionsPerToken
        let truth = 0.06 * paces.reduce(0, +) / 16
        guard case .value(let number, .bounds(let low, let high), _) = figure else {
            Issue.record("\(figure)")
            return
        }
        #expect(abs(number / truth - 1) < 0.01)
        #expect(low <= truth && high >= truth)
        #expect(high - low < 0.1 * number)
    }

    /// The counter had its register for a quarter of the time: scaled, and the method says so.
    @Test func takingTurnsIsSaid() throws {
        let run = CountedRun(
            counters: [.init(value: { $0 * 1e9 }, running: { $0 / 4 })], reads: steps(0, 3, by: 0.05))
        let figure = try run.figures([(1, 2)]).instructionsPerToken
        #expect(abs(try #require(figure.number) / 4e8 - 1) < 1e-6)
        guard case .value(_, _, let method) = figure else { return }
        #expect(method.contains("estimate, scaled up") && method.contains("25.0 %"))
        let never = CountedRun(
            counters: [.init(value: { _ in 0 }, running: { _ in 0 })], reads: steps(0, 3, by: 0.05))
        #expect(try never.figures([(1, 2)]).instructionsPerToken.number == nil)
    }

    /// Cores of two kinds: each counter runs while the threads are on its cores; together all of the time.
    @Test func kindsOfCoresAddUp() throws {
        let run = CountedRun(
            counters: [
                .init(id: "process:cycles@cpu_core", value: { $0 * 3e9 }, running: { $0 * 0.75 }),
                .init(id: "process:cycles@cpu_atom", value: { $0 * 1e9 }, running: { $0 * 0.25 }),
            ], reads: steps(0, 3, by: 0.05))
        let figure = try run.figures([(1, 2)]).cyclesPerToken
        #expect(abs(try #require(figure.number) / 4e8 - 1) < 1e-6)
        guard case .value(_, _, let method) = figure else { return }
        #expect(!method.contains("scaled"))
    }

    @Test func processesAddUpAndNoneMayLack() throws {
        var run = CountedRun(
            pids: [42, 43],
            counters: [
                .init(id: "process:task_clock", scale: 1e-9, value: { $0 * 2e9 }),
                .init(id: "process:task_clock", pid: 43, scale: 1e-9, value: { $0 * 1e9 }),
                .init(id: "process:cycles", value: { $0 * 1e9 }),
            ], reads: steps(0, 3, by: 0.05))
        let figures = try run.figures([(1, 2)])
        #expect(abs(try #require(figures.cpuSecondsPerToken.number) / 0.3 - 1) < 1e-6)
        #expect(figures.cyclesPerToken.reason == "not counted in every process of the engine")
        run.pids = [43]
        #expect(abs(try #require(run.figures([(1, 2)]).cpuSecondsPerToken.number) / 0.1 - 1) < 1e-6)
    }

    /// Absence has the probe's reason; nothing is ever 0 for want of a counter.
    @Test func absenceHasAReason() throws {
        var run = CountedRun(
            counters: [.init(id: "process:page_faults", excludesKernel: true, value: { _ in 0 })],
            reads: steps(0, 3, by: 0.05))
        run.rows = [
            .init(id: "process:instructions@cpu_core", status: .absent, reason: "no such counter"),
            .init(id: "process:context_switches", status: .noPermission, reason: "denied"),
            .init(id: "process:page_faults", status: .ok, reason: "user mode only"),
        ]
        let figures = try run.figures([(1, 2)])
        #expect(figures.instructionsPerToken.reason == "no such counter")
        #expect(figures.contextSwitchesPerToken.reason == "denied")
        #expect(figures.cyclesPerToken.reason == "not counted in this run")
        #expect(figures.pageFaultsPerToken.number == 0)
        guard case .value(_, _, let method) = figures.pageFaultsPerToken else { return }
        #expect(method.contains("user mode only"))
        run.rows = [.init(id: "process:counters", status: .unsupported, reason: "has threads already")]
        #expect(try run.figures([(1, 2)]).cyclesPerToken.reason == "has threads already")
    }

    @Test func readsFarFromTheEdgesTellNothing() throws {
        let counters: [CountedRun.Counter] = [.init(value: { $0 * 5e9 })]
        let sparse = CountedRun(counters: counters, reads: steps(0, 3, by: 1))
        #expect(try sparse.figures([(0.5, 1.5)]).instructionsPerToken.reason?.contains("too far") == true)
        // 3 s is the last read.
        #expect(try sparse.figures([(1, 3.5)]).instructionsPerToken.reason?.contains("not read") == true)
        let falling = CountedRun(
            counters: [.init(value: { 1e12 - $0 * 1e9 })], reads: steps(0, 3, by: 0.05))
        #expect(try falling.figures([(1, 2)]).instructionsPerToken.reason == "the counter ran backwards")
        let none = CountedRun(counters: counters, reads: steps(0, 3, by: 0.05))
        #expect(try none.figures([]).instructionsPerToken.reason == "no tokens")
    }

    /// Counts beyond 2^53 keep every unit of their differences.
    @Test func largeCountsLoseNothing() throws {
        let base: Int64 = 9_223_372_036_854_000_000
        let line = SourceLine(
            index: 0, id: "process:instructions", kind: .counter, quantity: .count, scale: 1,
            scope: .init(domain: "process", device: "pid-42"), interface: "perf", intervalNanoseconds: 1)
        func reads(_ values: [Int64]) -> [(tick: Int, read: CounterRead)] {
            values.enumerated().map { tick, value in
                let time = SyntheticRun.moment(Double(tick))
                return (tick, CounterRead(before: time, after: time, value: value))
            }
        }
        let series = EventSeries(
            line, counts: reads([base, base + 1, base + 3]), enabled: reads([0, 1, 2]),
            running: reads([0, 1, 2]))
        let span = Span(begin: SyntheticRun.moment(1), end: SyntheticRun.moment(2))
        #expect(try series.amount(in: span).get().count == 2)
    }
}
