import Testing

@testable import Analysis

/// A meter's log of a synthetic run whose power is known: 20 W at rest, 100 W at work.
@Suite struct ImportTests {
    private static var run: SyntheticRun {
        var run = SyntheticRun()
        run.seconds = 100
        return run
    }

    private static let wall: Int64 = 1_796_000_160_000_000_000  // 2026-11-30T00:56:00Z

    private static func trace() throws -> Trace { try Trace.parse(try run.bytes, name: "test") }

    private static func isWork(_ time: Double, _ timeline: Timeline) -> Bool {
        let moment = SyntheticRun.moment(time)
        return [Part.fromIdle, .warmup, .sustained].flatMap(timeline.spans).contains { $0.contains(moment) }
    }

    /// - Parameter skew: how far the meter's clock is ahead.
    private static func log(
        _ trace: Trace, skew: Double = 0, spacing: Double = 1, unit: String = "watts", noise: Double = 0,
        step: Bool = true
    ) -> [UInt8] {
        let timeline = Timeline(trace)
        var random = EnergyRandom(seed: 3)
        var text = "time,\(unit)\n"
        var joules = 0.0
        for index in 0..<Int(400 / spacing) {
            let time = Double(index) * spacing - 60
            let watts = (step && isWork(time, timeline) ? 100 : 20) + random.uniform(-noise...noise)
            joules += watts * spacing
            let stamp = wall + Int64((time + skew) * 1e9)
            text +=
                "\(stamp / 1_000_000_000).\(String(String(1_000_000_000 + stamp % 1_000_000_000).dropFirst()))"
            text += ",\(unit == "watts" ? watts : joules)\n"
        }
        return Array(text.utf8)
    }

    private static func header(_ sidecar: [UInt8]) throws -> ImportHeader {
        try CanonicalJSON.decode(ImportHeader.self, from: sidecar.prefix { $0 != 0x0A })
    }

    private static func sidecar(_ log: [UInt8], _ trace: Trace) throws -> [UInt8] {
        try ImportedLog.sidecar(.success(log), file: "meter.csv", id: "csv:meter.csv", of: trace)
    }

    /// The header's wall clock is that of the constant above.
    @Test func theAnchor() throws {
        #expect(WallClock.nanoseconds(try Self.trace().header.wallClock) == Self.wall)
    }

    @Test(arguments: [0.0, 3.7, -12.3, 45], ["watts", "joules"])
    func skewIsFoundAndTakenOut(skew: Double, unit: String) throws {
        var trace = try Self.trace()
        let log = Self.log(trace, skew: skew, spacing: 0.05, unit: unit, noise: 10)
        let sidecar = try Self.sidecar(log, trace)
        let header = try Self.header(sidecar)
        let found = try #require(header.skewSeconds.number)
        #expect(abs(found - skew) <= 0.05, "\(found)")
        #expect(header.alignment == (skew == 0 ? "wall clock" : "idle-to-load step"))
        try trace.add(sidecar: sidecar, name: "import-1.jsonl")
        let record = Analyze.record(from: trace)
        #expect(record.total.includes == ["csv:meter.csv"])
        #expect(record.total.scope == "wall only")
        let watts = try #require(
            record.metrics.cycle.gross.watts.number, "\(record.metrics.cycle.gross.watts)")
        #expect(abs(watts - 100) < 2, "\(watts)")
        let idle = try #require(record.sources.first { $0.id == "csv:meter.csv" })
        #expect(idle.interface == "csv:\(unit)")
        #expect(idle.reason?.contains("its clock is") == true)
    }

    /// A meter that tells once a second is set no finer than that.
    @Test(arguments: [-30.0, -2.5, 0.4, 7])
    func skewOfASlowMeter(skew: Double) throws {
        let trace = try Self.trace()
        let header = try Self.header(try Self.sidecar(Self.log(trace, skew: skew, noise: 20), trace))
        guard case .value(let found, .bounds(let low, let high), _) = header.skewSeconds else {
            Issue.record("\(header.skewSeconds)")
            return
        }
        #expect(low <= skew && skew <= high, "\(found)")
        #expect(abs(high - low - 2) < 1e-6)
        #expect(header.alignment == (abs(found) > 1 ? "idle-to-load step" : "wall clock"))
    }

    /// C12: the wall clock of the meter goes on while the machine sleeps for a minute.
    @Test func aSleepInTheMiddle() throws {
        var trace = try Self.trace()
        let asleep = 60_000_000_000 as Int64
        let index = (trace.sources.map(\.index).max() ?? -1) + 1
        var line = SourceLine(
            index: index, id: Suspends.sourceID, kind: .counter, quantity: .time, scale: 1e-9,
            scope: SourceLine.Scope(domain: "system", device: "system"), interface: "clock_gettime",
            intervalNanoseconds: 1_000_000_000)
        line.rangeReason = nil
        trace.sources.append(line)
        // It slept after 70 s of the run.
        for second in 1...120 {
            trace.samples.append(
                SampleLine(
                    time: SyntheticRun.moment(Double(second)), sources: [index], deltas: [1],
                    values: [second > 70 ? asleep : 0]))
        }
        trace.end?.sleptNanoseconds = asleep
        // The meter's reading is the moment of our clock at which it was taken, plus one.
        var text = "time,watts\n"
        for tenth in 0..<1800 {
            let wall = Double(tenth) / 10
            let awake = wall <= 70.5 ? wall : max(70.5, wall - 60)
            text += "\(1_796_000_160 + tenth / 10).\(tenth % 10),\(awake + 1)\n"
        }
        try trace.add(sidecar: try Self.sidecar(Array(text.utf8), trace), name: "import-1.jsonl")
        let imported = trace.samples.filter { $0.sources == [index + 1] }
        #expect(imported.count == 1800)
        for sample in imported {
            let time = (sample.time - SyntheticRun.start).seconds.value
            let reading = Double(try #require(sample.values[0])) / 1e6 - 1
            // Within the second in which it fell asleep nobody can tell.
            #expect(abs(time - reading) < (abs(reading - 70.5) < 1 ? 1 : 1e-6), "\(time) \(reading)")
        }
        #expect(
            Suspends.spans(in: trace) == [Span(begin: SyntheticRun.moment(70), end: SyntheticRun.moment(71))])
        let record = Analyze.record(from: trace)
        #expect(
            record.metrics.cycle.gross.joules.reason?.contains("the machine slept") == true,
            "\(record.metrics.cycle.gross.joules)")
    }

    /// A session marks where the sustained part begins, and no more of the parts in which the engine works.
    @Test func workIsKnownByItsGenerations() throws {
        let trace = try Self.trace()
        let log = Self.log(trace, skew: 5, spacing: 0.05, noise: 10)
        var bare = trace
        let working: [Part] = [.fromIdle, .warmup, .sustained]
        bare.marks.removeAll { working.contains($0.part) && ($0.name == .begin || $0.name == .end) }
        let header = try Self.header(try Self.sidecar(log, bare))
        #expect(header.alignment == "idle-to-load step")
        #expect(abs(try #require(header.skewSeconds.number) - 5) < 0.1)
        #expect(Timeline(bare).work.count == 3)
    }

    @Test func withoutAStepTheClockStands() throws {
        let trace = try Self.trace()
        let header = try Self.header(try Self.sidecar(Self.log(trace, skew: 5, noise: 5, step: false), trace))
        #expect(header.alignment == "wall clock")
        #expect(header.skewSeconds.reason == "no step of power between idle and work is visible in it")
        var busy = Self.run
        busy.without = [.idleBefore, .loadedIdle, .idleAfter]
        let other = try Trace.parse(try busy.bytes, name: "test")
        #expect(
            try Self.header(try Self.sidecar(Self.log(other), other)).skewSeconds.reason?.contains(
                "no idle window") == true)
    }

    @Test func besideOtherSourcesTheMeterIsNoPartOfTheTotal() throws {
        var run = Self.run
        run.watts = 50
        var trace = try Trace.parse(try run.bytes, name: "test")
        let log = Self.log(trace, spacing: 0.05)
        try trace.add(sidecar: try Self.sidecar(log, trace), name: "import-1.jsonl")
        let record = Analyze.record(from: trace)
        #expect(record.total.includes == ["rapl:package-0"])
        #expect(record.total.excludes.contains { $0.id == "csv:meter.csv" })
        let beside = record.metrics.cycle.gross.bySource["csv:meter.csv"]
        #expect(beside?.number != nil, "\(beside?.reason ?? "not there")")
    }

    @Test func aLogThatCannotBeReadIsARow() throws {
        var trace = try Self.trace()
        for log in [
            Result<[UInt8], Failure>.success([]), .failure(Failure(thing: "meter.csv", cause: "is gone")),
        ] {
            let sidecar = try ImportedLog.sidecar(log, file: "meter.csv", id: "csv:meter.csv", of: trace)
            try trace.add(sidecar: sidecar, name: "import-1.jsonl")
            let record = Analyze.record(from: trace)
            let source = record.sources.first { $0.id == "csv:meter.csv" }
            #expect(source?.status == .unsupported)
            #expect(source?.reason?.hasPrefix("meter.csv: ") == true)
            #expect(record.warnings.contains { $0.hasPrefix("csv:meter.csv: meter.csv: ") })
            #expect(record.total.unavailable == "no energy source")
        }
    }

    /// What is left out of a log is said aloud, and takes nothing else with it.
    @Test func aRowOfTheFarFutureIsSaid() throws {
        var trace = try Self.trace()
        let log = Self.log(trace, spacing: 0.05)
        let (header, rows) = (log.prefix { $0 != 0x0A }, log.drop { $0 != 0x0A })
        let bent = Array(header) + Array("\n4102444800,7".utf8) + Array(rows)
        try trace.add(sidecar: try Self.sidecar(bent, trace), name: "import-1.jsonl")
        let record = Analyze.record(from: trace)
        #expect(record.metrics.cycle.gross.watts.number.map { abs($0 - 100) < 2 } == true)
        #expect(
            record.warnings.contains {
                $0.hasPrefix("csv:meter.csv: rows of other times: 0 earlier, ")
                    && $0.hasSuffix(" later than the run")
            }, "\(record.warnings)")
    }

    /// Rows a second apart and cycles of half a second: means over a second tell no phases, and what is refused names the
    /// log's rows; a counter's differences tell them where the cycles are not in step with it. Whole cycles in a row are told
    /// by both.
    @Test(arguments: ["watts", "joules"])
    func aSlowLogTellsTheWhole(unit: String) throws {
        var trace = try Self.trace()
        let log = Self.log(trace, spacing: 1, unit: unit)
        try trace.add(sidecar: try Self.sidecar(log, trace), name: "import-1.jsonl")
        let metrics = Analyze.record(from: trace).metrics
        let cycle = metrics.cycle.gross.watts
        #expect(cycle.number.map { abs($0 - 100) < 3 } == true, "\(cycle)")
        let prefill = metrics.prefill.gross
        if unit == "watts" {
            let why = prefill.joules.reason ?? ""
            #expect(why.contains("the log has a row every 1 s: log more often"), "\(prefill.joules)")
        } else {
            #expect(prefill.watts.number.map { abs($0 - 100) < 3 } == true, "\(prefill.watts)")
        }
    }

    @Test func hostileSidecars() throws {
        let good = try Self.trace()
        for text in ["", "{}\n", "garbage\n", "{\"type\":\"header\"}\n"] {
            var trace = good
            #expect(throws: Failure.self) { try trace.add(sidecar: Array(text.utf8), name: "x") }
            #expect(trace == good)
        }
        let header = String(
            decoding: try CanonicalJSON.line(
                ImportHeader(
                    file: "x", unit: .watts, readings: 0, skippedRows: 0, alignment: "none",
                    skewSeconds: .unavailable("x"))), as: UTF8.self)
        var newer = good
        let failure = #expect(throws: Failure.self) {
            try newer.add(
                sidecar: Array(header.replacing("sustain.import/1", with: "sustain.import/2").utf8), name: "x"
            )
        }
        #expect(failure?.cause.contains("this version reads") == true)
        var trace = good
        let lines = """
            \(header)
            {"d_ns":[1],"s":[0],"t_ns":18446744073709551615,"type":"sample","v":[5]}
            {"d_ns":[1],"s":[9223372036854775807],"t_ns":5000000000000,"type":"sample","v":[5]}
            {"d_ns":[1],"s":[-1],"t_ns":5000000000000,"type":"sample","v":[5]}
            nonsense
            """
        try trace.add(sidecar: Array(lines.utf8), name: "x")
        #expect(trace.samples == good.samples)
        #expect(trace.warnings == good.warnings + ["x: a line cannot be read and was left out"])
    }
}
