import Analysis
import Testing

@testable import Reports

/// Groups of runs, their medians, and what keeps runs apart (METRICS, "Groups").
@Suite struct GroupTests {
    private func run(_ builder: RecordBuilder, _ change: (inout Record) -> Void = { _ in }) -> Run {
        var record = builder.build()
        change(&record)
        return Run(record, path: "reports/\(record.id)/run.json")
    }

    private func numbered(_ count: Int, _ value: (Int) -> Double) -> [Run] {
        (0..<count).map {
            run(RecordBuilder(id: "run\($0)", joulesPerToken: value($0), sustained: value($0)))
        }
    }

    /// Each of these makes another group of a run, and nothing else does.
    static let differences: [(String, @Sendable (inout Record) -> Void)] = [
        ("device", { $0.environment.identity["gpu_model"] = .known("Another") }),
        ("usable cpus", { $0.environment.identity["usable_cpus"] = .known("3") }),
        ("artifact", { change(&$0.artifact) { $0.sha256 = .known("another") } }),
        ("weights", { change(&$0.artifact) { $0.weights = "random" } }),
        ("engine build", { change(&$0.engine) { $0.build = "0.6.0" } }),
        ("engine library", { change(&$0.engine) { $0.librarySHA256 = .known("another") } }),
        ("parameters", { change(&$0.engine) { $0.parameters = .object(["threads": .integer(3)]) } }),
        ("token counts", { change(&$0.engine) { $0.tokenCounts = "estimated" } }),
        ("pinned variables", { $0.options = .object(["env": .array([.string("OMP_WAIT=1")])]) }),
        ("protocol", { $0.protocol.name = "deep" }), ("prompt", { $0.protocol.promptTokens = 64 }),
        ("sampling", { $0.protocol.sampling = "random" }), ("seconds", { $0.protocol.seconds = Seconds(60) }),
        ("includes", { $0.total.includes = ["rapl:package-0"] }),
        (
            "estimator",
            { $0.metrics.decode.gross.joulesPerToken = .once(0.3731, method: "phase fit, lag 0.05 s") }
        ),
        ("governor", { condition(&$0, "governor", .pass, "performance") }),
        ("platform profile", { condition(&$0, "platform_profile", .pass, "balanced") }),
        ("GPU power limit", { condition(&$0, "gpu_power_limit", .pass, "nvml:0: 600 W, default 600 W") }),
        (
            "package power limit",
            { condition(&$0, "rapl_power_limit", .pass, "package-0: 90 W, default 90 W") }
        ),
        ("supply", { condition(&$0, "ac_power", .pass, "AC (ADP1)") }),
        ("memory accounting", { $0.memory.accounting = "gpu" }),
    ]

    static let sameness: [(String, @Sendable (inout Record) -> Void)] = [
        ("label", { $0.label = "another" }), ("seed", { $0.protocol.seed = 7 }),
        ("kernel", { $0.environment.identity["kernel"] = .known("7.0") }),
        ("board of the same model", { $0.environment.identity["gpu_uuid"] = .known("GPU-2") }),
        ("disk", { condition(&$0, "free_disk", .pass, "17 MiB") }),
        ("tool", { $0.tool.version = "9" }), ("path", { change(&$0.artifact) { $0.path = "/elsewhere" } }),
        (
            "how an interval was made",
            { $0.metrics.decode.gross.joulesPerToken = .once(0.4, method: "t interval; over 9 windows") }
        ),
    ]

    private static func change<Value>(_ value: inout Maybe<Value>, _ body: (inout Value) -> Void) {
        guard case .known(var known) = value else { return }
        body(&known)
        value = .known(known)
    }

    private static func condition(
        _ record: inout Record, _ name: String, _ verdict: Condition.Verdict, _ seen: String
    ) {
        record.environment.filter.verdicts.removeAll { $0.name == name }
        record.environment.filter.verdicts.append(Condition(name, verdict, seen: seen))
    }

    @Test(arguments: differences.indices)
    func apart(index: Int) {
        let (name, change) = Self.differences[index]
        let rows = RunGroups.rows(of: [run(RecordBuilder(id: "a")), run(RecordBuilder(id: "b"), change)])
        #expect(rows.map(\.runs.count) == [1, 1], "\(name)")
    }

    @Test(arguments: sameness.indices)
    func together(index: Int) {
        let (name, change) = Self.sameness[index]
        let rows = RunGroups.rows(of: [run(RecordBuilder(id: "a")), run(RecordBuilder(id: "b"), change)])
        #expect(rows.map(\.runs.count) == [2], "\(name)")
    }

    /// The battery's level changes from run to run; that it is on battery is what counts.
    @Test func theLevelOfABatteryIsNoGroup() {
        let rows = RunGroups.rows(
            of: ["80 %", "60 %"].enumerated().map { number, level in
                run(RecordBuilder(id: "run\(number)")) {
                    Self.condition(&$0, "ac_power", .pass, "AC (ADP1), BAT0 charging \(level)")
                }
            })
        #expect(rows.map(\.runs.count) == [2])
    }

    @Test func mediansAndTheirIntervals() throws {
        let row = try #require(RunGroups.rows(of: numbered(5) { [10, 30, 20, 50, 40][$0] }).first)
        guard case .value(let value, .bounds(let low, let high), let method) = row.digest[.sustained] else {
            Issue.record("no interval: \(row.digest[.sustained])")
            return
        }
        // s = 15.811, t(4) = 2.776445, sqrt(pi / 2) = 1.253314: 2.776445 x 15.811388 / sqrt 5 x 1.253314 = 24.605...
        #expect(value == 30)
        #expect(abs(high - 30 - 24.6053) < 0.001 && abs(30 - low - 24.6053) < 0.001)
        #expect(method == "t interval; median of 5 runs, t interval times sqrt(pi / 2)")
        #expect(!row.isProvisional)
        #expect(row.name == "run0 +4")
        // An even number has its median between the two in the middle; two runs are provisional, without interval.
        let pair = try #require(RunGroups.rows(of: numbered(2) { [10, 20][$0] }).first)
        #expect(pair.digest[.sustained].number == 15 && pair.isProvisional)
        guard case .value(_, .unavailable(let why), _) = pair.digest[.sustained] else {
            Issue.record("two runs have no interval")
            return
        }
        #expect(why.reason == "provisional: 2 of 3")
    }

    /// One run alone is what it was: its own interval, and provisional all the same.
    @Test func oneRunKeepsItsInterval() {
        let alone = run(RecordBuilder(id: "a"))
        let rows = RunGroups.rows(of: [alone])
        #expect(rows.count == 1 && rows[0] === alone && rows[0].isProvisional)
    }

    @Test func aSubmitterCountsOnceHoweverOften() throws {
        // Three runs of one near 10, one run each of two others near 20: the median of 10, 20, 22.
        let values = [("a", 9.0), ("a", 10), ("a", 11), ("b", 20), ("c", 22)]
        let runs = values.enumerated().map { number, entry in
            run(RecordBuilder(id: "run\(number)", sustained: entry.1)) {
                $0.options = .object(["submitter": .string(entry.0)])
            }
        }
        let row = try #require(RunGroups.rows(of: runs).first)
        #expect(row.digest[.sustained].number == 20)
        #expect(row.observations == 3 && !row.isProvisional)
        let two = try #require(RunGroups.rows(of: Array(runs.prefix(4))).first)
        #expect(two.digest[.sustained].number == 15)
        #expect(two.isProvisional, "two submitters tell of no spread, however many runs they made")
    }

    @Test func aFigureThatSomeRunsLackSaysSo() throws {
        let runs = [5.0, nil, 7].enumerated().map { run(RecordBuilder(id: "run\($0)", sustained: $1)) }
        let row = try #require(RunGroups.rows(of: runs).first)
        guard case .value(let value, _, let method) = row.digest[.sustained] else {
            Issue.record("no value")
            return
        }
        #expect(value == 6 && method.contains("median of 2 of 3 runs"))
        let none = try #require(
            RunGroups.rows(of: (0..<2).map { run(RecordBuilder(id: "run\($0)", sustained: nil)) }).first)
        #expect(none.digest[.sustained].reason?.hasPrefix("short run") == true)
    }

    /// What does not count is a row, is counted by how it ended, and is in no median.
    @Test func whatDoesNotCountIsARow() throws {
        let stored = [
            RecordBuilder(id: "a", sustained: 100), RecordBuilder(id: "b", sustained: 120),
            RecordBuilder(id: "c", sustained: 900, status: .engineFailed),
            RecordBuilder(id: "d", sustained: 900, status: .refused),
            RecordBuilder(id: "e", sustained: 900, failedCheck: "other_load"),
        ].map { StoredRun.record($0.build(), path: "p") }
        let text = try Report.render(ReportOptions(format: .text), stored).text
        #expect(text.split(separator: "\n").count { $0.contains("tg256") } == 4)
        #expect(text.contains("5 runs: 2 completed, 1 engine failed, 1 refused, 1 excluded"))
        #expect(text.contains("run c engine failed (in sustained: SIGSEGV)"))
        #expect(text.contains("run e excluded (failed other_load)"))
        #expect(text.contains("110.0"), "the median of the two that count")
        #expect(text.contains("2 (provisional)"))
        let rows = try Report.render(ReportOptions(format: .jsonl), stored).text.split(separator: "\n")
        #expect(rows.count == 8)
        let each = try Report.render(ReportOptions(format: .jsonl, everyRun: true), stored).text
        #expect(each.split(separator: "\n").count == 10)
    }

    @Test func groups() throws {
        var fast = RecordBuilder(joulesPerToken: 0.52, sustained: 190)
        fast.parameters["threads"] = .integer(8)
        var runs: [RecordBuilder] = []
        for number in 0..<4 {
            var slow = RecordBuilder(id: "20261130T005600Z-slow-00000\(number)")
            slow.sustained = 128 + Double(number)
            slow.joulesPerToken = 0.37 + 0.001 * Double(number)
            var quick = fast
            quick.id = "20261130T015600Z-fast-10000\(number)"
            quick.sustained = 190 - Double(number)
            runs += number < 2 ? [slow, quick] : [slow]
        }
        runs.append(RecordBuilder(id: "20261130T025600Z-dead-200000", sustained: nil, status: .engineFailed))
        let stored = runs.map {
            StoredRun.record(SeriesBuilder.record($0), path: "reports/\($0.id)/run.json")
        }
        for (format, pareto, name) in [
            (ReportFormat.markdown, false, "groups.md"), (.text, false, "groups.txt"),
            (.text, true, "groups-pareto.txt"), (.csv, false, "groups.csv"), (.jsonl, true, "groups.jsonl"),
        ] {
            let options = ReportOptions(
                pareto: pareto, format: format,
                terminal: Terminal(width: format == .text ? 100 : nil, isUnicode: true))
            try Golden.expect(Report.render(options, stored).text, "tables/\(name)")
        }
    }
}
