import Analysis
import Foundation
import TestSupport
import Testing

/// Runs that end before their time: by the user, by a kill, by a full disk.
@Suite struct InterruptionTests {
    private func longRun() throws -> ScriptedRun {
        var run = try ScriptedRun()
        run.arguments = [
            "--seconds", "60", "--idle", "0.2", "-p", "8", "-n", "12", "--warmup", "0", "--power", "none",
        ]
        return run
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalFinishesTheRecord(_ number: Int32) throws {
        let run = try longRun()
        let program = try run.start()
        try program.wait { program.errorsSoFar().contains("sustained  ") }
        usleep(700_000)
        program.signal(number)
        let ended = try program.wait()
        #expect(ended.status == 130)
        let record = try run.record()
        #expect(record.outcome.status == .interrupted)
        #expect(record.outcome.part == .sustained)
        #expect(record.metrics.wholeCycles >= 1)
        #expect(record.metrics.decode.tokensPerSecond.number != nil)
        #expect(ended.text.contains("interrupted"))
        #expect(try run.strayProcesses() == [])
    }

    @Test func aKilledRunIsAnalysedAndItsWorkerIsGone() throws {
        let run = try longRun()
        let program = try run.start()
        try program.wait { program.errorsSoFar().contains("sustained  ") }
        usleep(2_500_000)
        program.signal(SIGKILL)
        _ = try program.wait()
        for _ in 0..<200 where try !run.strayProcesses().isEmpty { usleep(10_000) }
        #expect(try run.strayProcesses() == [])
        let directory = try run.workplace.runDirectory()
        #expect(!FileManager.default.fileExists(atPath: directory.appending(path: "run.json").path))
        let analyzed = try Program.run(["analyze", directory.path], in: run.workplace)
        #expect(analyzed.status == 0)
        let record = try run.record()
        #expect(record.outcome.status == .interrupted)
        #expect(record.metrics.wholeCycles >= 1)
    }

    /// CASES C27. A file system of 256 KiB needs a mount namespace of our own.
    @Test(.enabled(if: geteuid() == 0, "needs root for a small file system"))
    func aFullDiskStopsTheRunWithWhatWasWritten() throws {
        let run = try longRun()
        let script = try run.workplace.file(
            "script.json", #"{"prefill": {"ns": 100000}, "decode": {"ns": 20000}}"#)
        let small = run.workplace.url.appending(path: "small")
        let keep = run.workplace.url.appending(path: "keep")
        for place in [small, keep] {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        }
        let shell = Process()
        shell.executableURL = URL(filePath: "/usr/bin/unshare")
        shell.arguments = [
            "-m", "sh", "-c",
            #"mount -t tmpfs -o size=256k none "$1" || exit 99; "$2" run --exec "$3 $4" --seconds 60 --idle 0 -p 8 -n 200 --power none --output "$1" >/dev/null 2>"$5/errors"; echo $? >"$5/status"; cp "$1"/*/trace.jsonl "$5""#,
            "sh", small.path, Program.path("sustain"), Program.path("scripted-engine"), script, keep.path,
        ]
        try shell.run()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        #expect(try String(contentsOf: keep.appending(path: "status"), encoding: .utf8) == "1\n")
        #expect(
            try String(contentsOf: keep.appending(path: "errors"), encoding: .utf8).contains(
                "No space left on device"))
        let analyzed = try Program.run(
            ["analyze", keep.appending(path: "trace.jsonl").path, "--json"], in: run.workplace)
        #expect(analyzed.status == 0)
        let record = try JSONDecoder().decode(Record.self, from: analyzed.output)
        #expect(record.outcome.status == .interrupted)
        #expect(record.metrics.wholeCycles >= 1)
        #expect(try run.strayProcesses() == [])
    }

    /// An engine that hears neither `quit` nor the end of its pipe: it is killed at once, and a record is there.
    /// That SIGKILL comes before SIGTERM is tested on the ladder itself (ProcessTeardownTests).
    @Test func aSecondControlCDoesNotWaitForTheEngine() throws {
        var run = try longRun()
        run.script = #"{"faults": [{"at": "hello", "kind": "ignore_quit"}]}"#
        run.arguments += ["--engine-timeout", "300"]
        let program = try run.start()
        try program.wait { program.errorsSoFar().contains("sustained  ") }
        program.signal(SIGINT)
        // The first has been taken once it is no longer pending.
        try program.wait { !isPending(SIGINT, of: program.pid) }
        usleep(200_000)
        program.signal(SIGINT)
        let ended = try program.wait()
        #expect(ended.status == 130)
        let record = try run.record()
        #expect(record.outcome.status == .interrupted)
        #expect(try run.strayProcesses() == [])
    }

    private func isPending(_ number: Int32, of pid: Int32) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let lines = status.split(separator: "\n").filter {
            $0.hasPrefix("ShdPnd:") || $0.hasPrefix("SigPnd:")
        }
        let masks = lines.compactMap { $0.split(whereSeparator: \.isWhitespace).last }
            .compactMap { UInt64($0, radix: 16) }
        return masks.contains { $0 & (1 << UInt64(number - 1)) != 0 }
    }

    @Test func anOutputThatCannotBeWrittenIsRefusedBeforeTheRun() throws {
        let run = try longRun()
        let file = try run.workplace.file("occupied", "")
        let ended = try run.run(["--output", file + "/reports"])
        #expect(ended.status == 1)
        #expect(ended.errors.contains("--output"))
    }
}
