import Testing

@testable import Analysis

@Suite struct RecordTests {
    private static func short() throws -> Trace {
        var run = SyntheticRun()
        run.seconds = 20
        return try Trace.parse(try run.bytes, name: "t")
    }

    @Test func theSameTraceGivesTheSameBytes() throws {
        let bytes = try SyntheticRun().bytes
        let first = try CanonicalJSON.document(Analyze.record(from: try Trace.parse(bytes, name: "a")))
        let second = try CanonicalJSON.document(Analyze.record(from: try Trace.parse(bytes, name: "b")))
        #expect(first == second)
        let record = try CanonicalJSON.decode(Record.self, from: first)
        #expect(try CanonicalJSON.document(record) == first)
    }

    @Test func aBareHeaderGivesARecordOfReasons() throws {
        let record = Analyze.record(from: Trace(header: SyntheticRun().header))
        #expect(record.outcome.status == .interrupted)
        #expect(record.outcome.cause == "the trace has no end line")
        #expect(record.artifact.reason == "the trace names no artifact")
        #expect(record.engine.reason == "no engine said hello")
        #expect(record.metrics.decode.seconds.reason == "the run ended before its sustained part")
        #expect(record.metrics.loadCold.seconds.reason == "the run has no load_cold window")
        #expect(record.metrics.burst.reason == "the run ended before its sustained part")
        #expect(record.metrics.firstUse.seconds.reason == "no load_cold window")
        #expect(record.metrics.busyShare.number == nil)
        #expect(record.memory.peakRSSBytes.reason == "not read in this run")
        #expect(record.memory.accounting == "unknown")
        #expect(record.overhead.reason != nil)
        #expect(record.windows.isEmpty && record.warnings.isEmpty)
        #expect(record.total.unavailable == "no energy source")
        _ = try CanonicalJSON.document(record)
    }

    @Test(arguments: Part.allCases)
    func anyPartMayBeMissing(part: Part) throws {
        var run = SyntheticRun()
        run.seconds = 120
        run.without = [part]
        let metrics = try run.record.metrics
        let all = [
            Part.loadCold: metrics.loadCold.seconds, .loadWarm: metrics.loadWarm.seconds,
            .firstToken: metrics.firstToken.seconds, .loadedIdle: metrics.loadedIdle.seconds,
            .fromIdle: metrics.fromIdle.decode.seconds, .sustained: metrics.decode.seconds,
        ]
        for (name, seconds) in all { #expect((seconds.value == nil) == (name == part), "\(name)") }
        #expect(metrics.idle.seconds.value != nil)
    }

    @Test func anInterruptedRunKeepsWhatItHas() throws {
        var run = SyntheticRun()
        run.seconds = 120
        let lines = run.lines
        // Somewhere in the sustained part, in the middle of a generation whose batches are half sent.
        let cut = try #require(
            lines.lastIndex { if case .tokens(let batch) = $0 { batch.first == 40 } else { false } })
        let bytes = try lines[...cut].flatMap { try $0.encodedLine() }
        let record = Analyze.record(from: try Trace.parse(bytes, name: "t"))
        #expect(record.outcome.status == .interrupted)
        #expect(record.outcome.part == .sustained)
        #expect(record.overhead.reason == "the run ended before its overhead was read")
        expect(record.metrics.decode.tokensPerSecond, near: 100)
        expect(record.metrics.sustained, near: 100)
        #expect(record.windows.last { $0.name == "sustained" }?.whole == false)
        #expect(record.metrics.truncated == 0)
    }

    @Test func everyPrefixOfATraceGivesARecord() throws {
        var run = SyntheticRun()
        run.seconds = 12
        let lines = try run.lines.map { try $0.encodedLine() }
        for count in 1..<lines.count {
            let record = Analyze.record(from: try Trace.parse(Array(lines[..<count].joined()), name: "t"))
            #expect(record.outcome.status == .interrupted)
        }
    }

    @Test func outcomes() throws {
        var trace = try Self.short()
        #expect(Analyze.record(from: trace).outcome.status == .completed)
        var failed = OutcomeLine(.engineFailed, part: .sustained, cause: "SIGSEGV")
        failed.signal = 11
        trace.outcome = failed
        trace.end = nil
        let outcome = Analyze.record(from: trace).outcome
        #expect(outcome.status == .engineFailed && outcome.signal == 11 && outcome.cause == "SIGSEGV")
        trace.outcome = OutcomeLine(.completed)
        #expect(Analyze.record(from: trace).outcome.status == .interrupted)
        #expect(Analyze.record(from: trace).outcome.part == .idleAfter)
        trace.outcome = nil
        trace.end = EndLine(time: SyntheticRun.moment(100), sleptNanoseconds: 3_000_000_000)
        let silent = Analyze.record(from: trace)
        #expect(silent.outcome.status == .interrupted && silent.outcome.cause == "the trace names no outcome")
        #expect(
            silent.warnings == [
                "the machine slept for 3.0 s during the run: windows it touches have no energy"
            ])
    }

    @Test func truncatedGenerationsAreCountedAndNotWhole() throws {
        var trace = try Self.short()
        let whole = Analyze.record(from: trace).metrics.wholeCycles
        let last = try #require(trace.done.lastIndex { $0.part == .sustained && $0.stop == "length" })
        trace.done[last].stop = "truncated"
        let metrics = Analyze.record(from: trace).metrics
        #expect(metrics.truncated == 1)
        #expect(metrics.wholeCycles == whole - 1)
    }

    @Test func conditionsAreMergedToTheWorse() {
        let environment = Environment([
            ConditionsLine(
                moment: .before,
                checks: [
                    Condition("governor", .pass, seen: "performance"),
                    Condition("swap", .fail, seen: "12 MB out"),
                    Condition("steal", .cannotTell, seen: "no /proc/stat"),
                    Condition("turbo", .pass, seen: "on"),
                ], identity: ["cpu": .known("EPYC"), "product": .unavailable("no DMI")]),
            ConditionsLine(
                moment: .after,
                checks: [
                    Condition("governor", .fail, seen: "powersave"), Condition("swap", .pass, seen: "0"),
                    Condition("steal", .pass, seen: "0 %"), Condition("disk", .pass, seen: "9 GB"),
                ]),
        ])
        #expect(
            environment.filter.verdicts == [
                Condition("governor", .fail, seen: "powersave"), Condition("swap", .fail, seen: "12 MB out"),
                Condition("steal", .cannotTell, seen: "no /proc/stat"), Condition("turbo", .pass, seen: "on"),
                Condition("disk", .pass, seen: "9 GB"),
            ])
        #expect(environment.filter.excluded)
        #expect(environment.identity["cpu"] == .known("EPYC"))
        #expect(environment.after.value?.count == 4)
    }

    @Test(arguments: [
        ("threads", Condition.Verdict.fail, false), ("virtual_machine", .fail, false),
        ("container", .fail, false),
        ("governor", .fail, true), ("governor", .cannotTell, false), ("governor", .pass, false),
    ])
    func onlyFailedChecksExclude(name: String, verdict: Condition.Verdict, excluded: Bool) {
        let environment = Environment([
            ConditionsLine(moment: .before, checks: [Condition(name, verdict, seen: "")])
        ])
        #expect(environment.filter.excluded == excluded)
        #expect(environment.after.reason == "the conditions were not read after the run")
    }

    @Test func memoryByPointsAndSamples() throws {
        var trace = try Self.short()
        func source(_ index: Int, _ id: String, pid: Int) -> SourceLine {
            SourceLine(
                index: index, id: id, kind: .gauge, quantity: .memory, scale: 1_024,
                scope: .init(domain: "process", device: "pid-\(pid)"), interface: "procfs",
                intervalNanoseconds: 1_000_000_000)
        }
        trace.sources = [
            source(0, "process:rss", pid: 1), source(1, "process:anonymous", pid: 1),
            source(2, "process:rss", pid: 2), source(3, "process:peak_rss", pid: 2),
        ]
        trace.samples = [
            SampleLine(
                time: SyntheticRun.moment(1), sources: [0, 1, 2, 3], deltas: [1, 0, 0, 0],
                values: [2, 1, nil, 7]),
            SampleLine(
                time: SyntheticRun.moment(2), sources: [0, 2, 3], deltas: [1, 0, 0], values: [1, 5, 6]),
        ]
        let memory = Analyze.record(from: trace).memory
        #expect(memory.peakRSSBytes.number == 7_168)
        #expect(memory.peakAnonymousBytes.number == 1_024)
        #expect(memory.peakFileMappedBytes.number == 1_150)
        #expect(memory.loadCostBytes.number == 1_100)
        #expect(memory.firstStepCostBytes.number == 200)
        #expect(memory.points["before_load"] == ["rss": 100, "anonymous": 60, "file_mapped": 40])
        #expect(memory.accounting == "mapped")
    }

    @Test func memoryAccounting() throws {
        var trace = try Self.short()
        for index in trace.memory.indices { trace.memory[index].bytes["file_mapped"] = 40 }
        #expect(Analyze.record(from: trace).memory.accounting == "anonymous")
        trace.engine?.devices = ["0000:65:00.0"]
        #expect(Analyze.record(from: trace).memory.accounting == "gpu")
        trace.engine?.location = "remote"
        let memory = Analyze.record(from: trace).memory
        #expect(memory.accounting == "not our process")
        #expect(memory.peakRSSBytes.reason == "engine runs elsewhere")
        #expect(memory.loadCostBytes.reason == "engine runs elsewhere")
    }

    @Test func sourcesAreThoseOpenedAndThoseLookedFor() throws {
        var trace = try Self.short()
        trace.sources = [
            SourceLine(
                index: 0, id: "rapl:package-0", kind: .counter, quantity: .energy, scale: 1e-6,
                scope: .init(domain: "package", device: "package-0"), interface: "powercap:intel-rapl",
                intervalNanoseconds: 100_000_000)
        ]
        trace.capabilities = [
            .init(id: "rapl:package-0", status: .ok),
            .init(id: "nvml", status: .absent, reason: "libnvidia-ml.so.1 is not there"),
            .init(id: "rapl:dram", status: .noPermission, reason: "errno 13", remedy: "chmod o+r ..."),
        ]
        let sources = Analyze.record(from: trace).sources
        #expect(sources.map(\.id) == ["rapl:package-0", "nvml", "rapl:dram"])
        #expect(sources.map(\.status) == [.ok, .absent, .noPermission])
        #expect(sources[0].kind == .known(.counter))
        #expect(sources[1].kind.reason == "libnvidia-ml.so.1 is not there")
        #expect(sources[2].remedy == "chmod o+r ...")
    }

    @Test func theEngineIsNamedByItsMainLibrary() {
        var line = EngineLine(kind: "llama", version: "0.5.0")
        #expect(EngineSummary(line).librarySHA256.reason == "the engine names no library")
        line.build = "AVX2"
        line.libraries = ["/x/libggml.so": .known("a"), "/x/libllama.so.0": .known("b")]
        #expect(EngineSummary(line).librarySHA256 == .known("b"))
        #expect(EngineSummary(line).build == "0.5.0 (AVX2)")
        line.libraries = ["/x/a.so": .known("a"), "/x/b.so": .known("b")]
        #expect(EngineSummary(line).librarySHA256.reason == "none of the libraries is known as the main one")
    }

    @Test func overheadAndWarnings() throws {
        var trace = try Self.short()
        trace.warnings = ["token count estimated"]
        let record = Analyze.record(from: trace)
        #expect(record.overhead.value?.samplerCoreShare == 0.001)
        #expect(record.overhead.value?.worstJitterSeconds == 0.00009)
        #expect(record.warnings == ["token count estimated"])
        trace.overhead?.wallNanoseconds = 0
        #expect(Analyze.record(from: trace).overhead.reason == "no time passed")
        trace.marks[trace.marks.count - 1].stream = 1
        #expect(Analyze.record(from: trace).warnings.last?.hasPrefix("several streams") == true)
    }
}
