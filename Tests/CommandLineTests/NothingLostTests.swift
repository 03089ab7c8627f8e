import Analysis
import Foundation
import TestSupport
import Testing

/// What goes wrong around a run: its terminal, its pipes, its disk, another run, the clock.
@Suite struct NothingLostTests {
    private func shell(_ script: String, _ words: [String], in place: Workplace) throws -> Program.Ended {
        try Program(at: "/bin/sh", ["-c", script, "sh"] + words, in: place).wait()
    }

    private func command(_ run: ScriptedRun) throws -> [String] {
        let script = try run.workplace.file("script.json", run.script)
        return ["run", "--exec", "\(Program.path("scripted-engine")) \(script)"] + run.arguments
    }

    /// SIGPIPE of progress: nobody reads it any more, and the run goes on to its end.
    @Test func aReaderOfTheProgressThatWentAway() throws {
        let run = try ScriptedRun()
        _ = try shell(
            #"{ "$@" 2>&1 >out; echo $? >status; } | head -c 1 >/dev/null"#,
            [Program.path("sustain")] + (try command(run)), in: run.workplace)
        let status = try String(contentsOf: run.workplace.url.appending(path: "status"), encoding: .utf8)
        #expect(status == "0\n")
        #expect(try run.record().outcome.status == .completed)
        #expect(try run.strayProcesses() == [])
    }

    /// SIGPIPE of the result: it was not delivered, which is no noise, and lies in the run's directory all the same.
    @Test func aReaderOfTheResultThatWentAway() throws {
        let run = try ScriptedRun()
        _ = try shell(
            #"{ "$@" --json --quiet 2>errors; echo $? >status; } | true"#,
            [Program.path("sustain")] + (try command(run)), in: run.workplace)
        let told = try ["status", "errors"].map {
            try String(contentsOf: run.workplace.url.appending(path: $0), encoding: .utf8)
        }
        #expect(told == ["1\n", ""])
        #expect(try run.record().outcome.status == .completed)
        #expect(try run.strayProcesses() == [])
    }

    private static let hasScript = access("/usr/bin/script", X_OK) == 0

    /// The terminal's other end goes: the kernel sends SIGHUP, and writing to what was a terminal fails.
    @Test(.enabled(if: hasScript, "no script(1) to make a terminal with"))
    func aTerminalThatIsClosed() throws {
        let run = try ScriptedRun()
        let words = ([Program.path("sustain")] + (try command(run)) + ["--seconds", "60"])
            .map { "'\($0)'" }.joined(separator: " ")
        let terminal = try Program(
            at: "/usr/bin/script", ["-q", "-f", "-c", "exec " + words, "typescript"], in: run.workplace)
        let typescript = run.workplace.url.appending(path: "typescript")
        try terminal.wait {
            (try? String(contentsOf: typescript, encoding: .utf8))?.contains("sustained  ") == true
        }
        usleep(500_000)
        terminal.signal(SIGKILL)
        _ = try terminal.wait()
        for _ in 0..<1000 where try !run.strayProcesses().isEmpty { usleep(10_000) }
        #expect(try run.strayProcesses() == [])
        let outcome = try run.record().outcome
        #expect(outcome.status == .interrupted)
        #expect(outcome.cause == "SIGHUP")
        #expect(outcome.part == .sustained)
    }

    /// The name of a run is the second it began in.
    @Test func twoAtOnceIntoOneDirectory() throws {
        let run = try ScriptedRun()
        let programs = try (0..<2).map { _ in try run.start(["--label", "same", "-r", "1"]) }
        for program in programs {
            let ended = try program.wait()
            #expect(ended.status == 0, "\(ended.errors)")
        }
        let reports = run.workplace.url.appending(path: "reports")
        let names = try FileManager.default.contentsOfDirectory(atPath: reports.path)
        #expect(names.count == 2)
        for name in names {
            let data = try Data(contentsOf: reports.appending(path: "\(name)/run.json"))
            let record = try JSONDecoder().decode(Record.self, from: data)
            #expect(record.outcome.status == .completed)
            #expect(record.metrics.wholeCycles == 1)
        }
        #expect(try run.strayProcesses() == [])
    }

    /// Root writes anywhere but on a file system that is mounted for reading.
    @Test(.enabled(if: geteuid() == 0, "needs root for a file system that cannot be written"))
    func anOutputOnAReadOnlyFileSystem() throws {
        let run = try ScriptedRun()
        let place = run.workplace.url.appending(path: "read-only")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let ended = try Program(
            at: "/usr/bin/unshare",
            [
                "-m", "/bin/sh", "-c", #"mount -t tmpfs -o ro none "$1" && shift && exec "$@""#, "sh",
                place.path,
                Program.path("sustain"),
            ] + (try command(run)) + ["--output", place.path], in: run.workplace
        ).wait()
        #expect(ended.status == 1)
        #expect(
            ended.errors.contains("--output") && ended.errors.contains("Read-only file system"),
            "\(ended.errors)")
        #expect(try run.strayProcesses() == [])
    }

    /// A step of the wall clock moves no stamp: all are CLOCK_MONOTONIC's, which no setting moves.
    @Test func noStampIsTheWallClocks() throws {
        let before = monotonic()
        let run = try ScriptedRun()
        #expect(try run.run(["-r", "1"]).status == 0)
        let after = monotonic()
        let path = try run.workplace.runDirectory().appending(path: "trace.jsonl")
        let trace = try Trace.parse(Array(try Data(contentsOf: path)), name: "trace")
        let stamps =
            [trace.header.start] + trace.samples.map(\.time) + trace.marks.map(\.time)
            + trace.tokens.map(\.start) + trace.memory.map(\.time) + [trace.end?.time].compactMap { $0 }
        #expect(stamps.count > 20)
        #expect(stamps.allSatisfy { before <= $0.nanoseconds && $0.nanoseconds <= after })
    }

    private func monotonic() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
