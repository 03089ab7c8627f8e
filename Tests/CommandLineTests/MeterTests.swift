import Analysis
import Foundation
import TestSupport
import Testing

/// Meters of the user's through the command line: `--power exec:CMD` and `--power csv:FILE`.
@Suite struct MeterTests {
    private static let script = #"{"prefill": {"ns": 100000000}, "decode": {"ns": 20000000}}"#

    /// A run of three seconds on a machine that has nothing of its own.
    private func run(
        _ power: (Workplace) throws -> String, _ more: [String] = []
    ) throws -> (
        ended: Program.Ended, record: Record
    ) {
        var run = try ScriptedRun(Self.script)
        let empty = run.workplace.url.appending(path: "empty").path
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
        run.arguments = [
            "--seconds", "4", "--idle", "1", "-p", "8", "-n", "41", "--warmup", "0", "--path.sysfs", empty,
            "--power", try power(run.workplace),
        ]
        let ended = try run.run(more)
        return (ended, try run.record())
    }

    private func source(_ id: String, _ record: Record) throws -> SourceSummary {
        try #require(record.sources.first { $0.id == id }, "\(record.sources.map(\.id))")
    }

    @Test func aProgramsReadingsAreTheTotalWhereNothingElseIs() throws {
        let (ended, record) = try run { workplace in
            let meter = "while :; do echo watts 42.5; sleep 0.02; done\n"
            return "exec:/bin/sh \(try workplace.file("meter.sh", meter))"
        }
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(record.total.includes == ["exec:sh"])
        #expect(record.total.scope == "wall only")
        let cycle = record.metrics.cycle
        #expect(abs((cycle.gross.watts.number ?? 0) - 42.5) < 0.01, "\(cycle.gross.watts)")
        #expect(abs(cycle.net.watts.number ?? 99) < 0.01, "\(cycle.net.watts)")
        let source = try source("exec:sh", record)
        #expect(source.status == .ok)
        #expect(source.interface == "exec:watts")
        #expect(record.warnings.filter { $0.contains("exec:sh") }.isEmpty)
    }

    /// It dies in the middle: the run goes on, the source says so, and nothing is made up.
    @Test func aProgramThatDiesIsAState() throws {
        let (ended, record) = try run { workplace in
            let meter = "i=0; while [ $i -lt 60 ]; do i=$((i+1)); echo watts 42.5; sleep 0.02; done; exit 9\n"
            return "exec:/bin/sh \(try workplace.file("meter.sh", meter))"
        }
        #expect(ended.status == 0, "\(ended.errors)")
        let source = try source("exec:sh", record)
        #expect(source.status == .dead)
        #expect(source.reason?.contains("ended with exit status 9") == true, "\(source)")
        #expect(record.warnings.contains { $0.contains("ended with exit status 9") })
        #expect(record.outcome.status == .completed)
        #expect(record.metrics.decode.tokensPerSecond.number != nil)
        #expect(record.metrics.decode.gross.joules.number == nil)
    }

    /// A meter that was asked for by name and tells nothing: nobody is to learn that after the run.
    @Test(arguments: [
        ("/nonexistent/meter", "No such file", 2), ("/tmp", "Permission denied", 2),
        ("/bin/sh -c false", "ended with exit status 1", 6),
    ])
    func aMeterThatIsNoneRefusesTheRun(words: String, cause: String, status: Int32) throws {
        var run = try ScriptedRun(Self.script)
        run.arguments = ["--seconds", "4", "--idle", "1", "-p", "8", "-n", "41", "--power", "exec:" + words]
        let ended = try run.run()
        #expect(ended.status == status, "\(ended.errors)")
        #expect(ended.errors.hasPrefix("sustain: --power exec:\(words): "), "\(ended.errors)")
        #expect(ended.errors.contains(cause))
        // A remedy, and no run.
        #expect(ended.errors.split(separator: "\n").count == 2, "\(ended.errors)")
        #expect((try? run.workplace.runDirectory()) == nil)
        let marker = run.workplace.url.appending(path: "ran").path
        let measured = try Program.run(
            ["measure", "--power", "exec:" + words, "--", "touch", marker], in: run.workplace)
        #expect(measured.status == (status == 2 ? 2 : 125), "\(measured.errors)")
        #expect(measured.errors.contains(cause))
        #expect(!FileManager.default.fileExists(atPath: marker))
    }

    /// Other sources that were asked for by name and are not there: said at the start and in the record.
    @Test(arguments: ["rapl", "perf", "hwmon", "battery"])
    func aNamedSourceThatIsNotThereIsAWarning(name: String) throws {
        let (ended, record) = try run({ _ in name })
        #expect(ended.status == 0, "\(ended.errors)")
        let text = "--power \(name): nothing of it can be read here"
        #expect(record.warnings.contains { $0.hasPrefix(text) }, "\(record.warnings)")
        #expect(ended.errors.contains("warning: " + text), "\(ended.errors)")
    }

    /// Nothing that a meter has started outlives us, however we end.
    @Test func noGrandchildIsLeftBehindAKilledProgram() throws {
        let workplace = try Workplace()
        let pids = workplace.url.appending(path: "pids").path
        let meter = try workplace.file(
            "meter.sh",
            "(sleep 1000 & echo $! >> \(pids); wait) &\nwhile :; do echo watts 5; sleep 0.05; done\n")
        let program = try Program(
            "sustain", ["doctor", "--seconds", "100", "--power", "exec:/bin/sh \(meter)"], in: workplace)
        func grandchild() -> Int32? {
            (try? String(contentsOfFile: pids, encoding: .utf8)).flatMap { Int32($0.dropLast()) }
        }
        try program.wait { grandchild() != nil }
        let pid = try #require(grandchild())
        program.signal(SIGKILL)
        _ = try program.wait()
        func isThere() -> Bool {
            // One that has ended may wait for somebody to take note of it.
            let status = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
            return !status.isEmpty && !status.contains(") Z ")
        }
        for _ in 0..<1000 where isThere() { usleep(10_000) }
        #expect(!isThere())
    }

    /// It ends during the command: nothing is waited for that it could tell no more.
    @Test func aMeterThatEndedIsNotWaitedFor() throws {
        let workplace = try Workplace()
        let empty = workplace.url.appending(path: "empty").path
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
        let meter = try workplace.file(
            "meter.sh", "i=0; while [ $i -lt 60 ]; do i=$((i+1)); echo watts 42.5; sleep 0.02; done\n")
        let ended = try Program.run(
            [
                "measure", "--json", "--idle", "0.3", "--path.sysfs", empty, "--power",
                "exec:/bin/sh \(meter)", "--", "sleep", "2",
            ], in: workplace)
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try JSONDecoder().decode(MeasureRecord.self, from: ended.output)
        #expect(
            record.idle.afterSeconds.reason == "no source of the total moved after the command",
            "\(record.idle.afterSeconds)")
        #expect(!record.warnings.contains { $0.contains("settled") })
        #expect(record.warnings.contains { $0.contains("ended with exit status 0") })
    }

    /// The rows of the time of the run count, on the run's clock.
    @Test(arguments: ["watts", "joules"])
    func aLogIsReadAfterTheRun(unit: String) throws {
        let begin = Date().timeIntervalSince1970 - 90
        var text = "time,\(unit)\n"
        for index in 0..<10_000 {
            let watts = 42.5
            text += "\(String(format: "%.3f", begin + Double(index) * 0.02)),"
            text += "\(unit == "watts" ? watts : watts * Double(index) * 0.02)\n"
        }
        let (ended, record) = try run { "csv:\(try $0.file("meter.csv", text))" }
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.errors.contains("is read after the run"))
        #expect(record.total.includes == ["csv:meter.csv"])
        let watts = try #require(
            record.metrics.cycle.gross.watts.number, "\(record.metrics.cycle.gross.watts)")
        #expect(abs(watts - 42.5) < 0.1)
        let source = try source("csv:meter.csv", record)
        #expect(source.status == .ok)
        #expect(source.reason?.hasPrefix("aligned by the wall clock") == true, "\(source.reason ?? "")")
    }

    /// `analyze` finds the sidecar by itself, and makes the same record.
    @Test func aLogIsPartOfTheRunForGood() throws {
        var run = try ScriptedRun(Self.script)
        let begin = Int(Date().timeIntervalSince1970) - 60
        let rows = (0..<200).map { "\(begin + $0),42.5\n" }.joined()
        let log = try run.workplace.file("meter.csv", "time,watts\n" + rows)
        run.arguments = ["--seconds", "1", "--idle", "0", "-p", "8", "-n", "11", "--power", "csv:\(log)"]
        #expect(try run.run().status == 0)
        let directory = try run.workplace.runDirectory()
        let first = try Data(contentsOf: directory.appending(path: "run.json"))
        try FileManager.default.removeItem(atPath: log)
        #expect(try Program.run(["analyze", directory.path], in: run.workplace).status == 0)
        #expect(try Data(contentsOf: directory.appending(path: "run.json")) == first)
        #expect(try run.record().sources.contains { $0.id == "csv:meter.csv" && $0.status == .ok })
        // A sidecar that is broken is a warning.
        try Data("nonsense\n".utf8).write(to: directory.appending(path: "import-1.jsonl"))
        #expect(try Program.run(["analyze", directory.path], in: run.workplace).status == 0)
        #expect(try run.record().warnings.contains { $0.hasPrefix("import-1.jsonl: ") })
    }

    @Test func aLogThatIsNotThere() throws {
        let (ended, record) = try run({ "csv:\($0.url.path)/never.csv" })
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(try source("csv:never.csv", record).status == .unsupported)
        #expect(try source("csv:never.csv", record).reason?.contains("No such file") == true)
        let required = try run({ "csv:\($0.url.path)/never.csv" }, ["--require-energy"])
        #expect(required.ended.status == 6)
    }

    @Test(arguments: ["csv:", "exec:", "exec: ", "meter"])
    func wrongValues(power: String) throws {
        let run = try ScriptedRun()
        let ended = try run.run(["--power", power])
        #expect(ended.status == 2)
        #expect(ended.errors.contains("--power"))
    }
}
