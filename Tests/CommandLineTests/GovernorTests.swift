import Analysis
import Foundation
import TestSupport
import Testing

/// Memory that runs out under a run (CASES C25).
@Suite(.serialized) struct GovernorTests {
    /// A machine whose available memory a test sets while a run reads it.
    private final class Machine {
        let run: ScriptedRun
        let procfs: URL

        init(_ script: String = "{}") throws {
            run = try ScriptedRun(script)
            procfs = run.workplace.url.appending(path: "proc")
            for directory in ["proc/self", "sys"] {
                try FileManager.default.createDirectory(
                    at: run.workplace.url.appending(path: directory), withIntermediateDirectories: true)
            }
            try Data("0::/\n".utf8).write(to: procfs.appending(path: "self/cgroup"))
            try set(mebibytes: 10_000)
        }

        func set(mebibytes: Int) throws {
            let text = "MemTotal: 16777216 kB\nMemAvailable: \(mebibytes * 1024) kB\n"
            try Data(text.utf8).write(to: procfs.appending(path: "meminfo"), options: .atomic)
        }

        func start() throws -> Program {
            let program = try run.start([
                "--seconds", "60", "--warmup", "0", "--idle", "0", "--path.procfs", procfs.path,
                "--path.sysfs",
                run.workplace.url.appending(path: "sys").path,
            ])
            try program.wait { program.errorsSoFar().contains("sustained  ") }
            return program
        }
    }

    @Test func warnedAndThenStopped() throws {
        let machine = try Machine()
        let program = try machine.start()
        for (mebibytes, share) in [(1100, "11.0 %"), (700, "7.0 %"), (450, "4.5 %")] {
            try machine.set(mebibytes: mebibytes)
            try program.wait { program.errorsSoFar().contains("memory: \(share) of the budget") }
        }
        try machine.set(mebibytes: 200)
        let ended = try program.wait()
        #expect(ended.status == 5, "\(ended.errors)")
        #expect(ended.errors.contains("memory governor"))
        let record = try machine.run.record()
        #expect(record.outcome.status == .engineFailed)
        #expect(record.outcome.part == .sustained)
        #expect(
            record.outcome.cause
                == "stopped by the memory governor: 2.0 % of the budget of 10000 MiB is left: "
                + "200 MiB available, the engine holds 0 MiB")
        #expect(record.outcome.remedy?.contains("smaller model") == true)
        #expect(record.outcome.signal == nil && record.outcome.kind == .governor)
        #expect(record.warnings.count { $0.contains("of the budget of 10000 MiB is left") } == 3)
        #expect(record.memory.points["tightest"]?["available"] == 200 << 20)
        #expect(record.memory.pressure?.worst == .known(.critical))
        #expect(record.memory.pressure?.cause == "headroom 200.0 MiB")
        #expect(try machine.run.strayProcesses() == [])
    }

    /// An engine elsewhere takes none of this machine's memory.
    @Test func notForAnEngineElsewhere() throws {
        let machine = try Machine(#"{"hello": {"location": "remote"}}"#)
        let program = try machine.start()
        try machine.set(mebibytes: 1)
        // The worker goes on: four looks would have been due.
        usleep(1_200_000)
        program.signal(SIGINT)
        #expect(try program.wait().status == 130)
        let record = try machine.run.record()
        #expect(record.outcome.status == .interrupted)
        #expect(!record.warnings.contains { $0.contains("budget") })
        #expect(record.memory.headroomNowBytes?.reason == "engine runs elsewhere")
    }

    /// 240 MiB at once and then slowly, in a control group of 320 MiB.
    @Test(.enabled(if: MemoryGroup.isPossible, "no control group with a memory limit can be made here"))
    func theEngineIsStoppedBeforeTheKernelKillsIt() throws {
        let (run, ended) = try inGroup(
            #"{"at": "load", "cycle": 1, "kind": "allocate", "mb": 240}, "#
                + #"{"at": "decode", "step": 2, "kind": "allocate", "mb": 800, "rest_ns": 100000000}"#)
        #expect(ended.status == 5, "\(ended.errors)")
        let record = try run.record()
        #expect(
            record.outcome.cause?.hasPrefix("stopped by the memory governor: ") == true,
            "\(record.outcome.cause ?? "")")
        #expect(record.warnings.contains { $0.contains("of the budget of") })
        let end = try #require(record.memory.points["tightest"])
        #expect(end["anonymous"] ?? 0 > 240 << 20)
        #expect(end["available"] ?? .max < 32 << 20)
        let loaded = try #require(record.memory.points["after_load"])
        #expect(loaded["cgroup_max"] == 320 << 20)
        #expect(loaded["cgroup_left"] ?? .max < 160 << 20)
        #expect(loaded["pss"] ?? 0 > 0)
        #expect(record.memory.pressure?.worst == .known(.critical))
        #expect(try run.strayProcesses() == [])
    }

    /// The governor is shown another machine, where memory is plenty: it does not look in between.
    @Test(.enabled(if: MemoryGroup.isPossible, "no control group with a memory limit can be made here"))
    func whereTheKernelIsFirstTheRecordSaysSo() throws {
        let machine = try Machine()
        let (run, ended) = try inGroup(
            #"{"at": "decode", "step": 2, "kind": "allocate", "mb": 2000}"#, on: machine)
        #expect(ended.status == 5, "\(ended.errors)")
        let outcome = try run.record().outcome
        #expect(outcome.signal == SIGKILL && outcome.kind == .oomKill)
        #expect(outcome.cause?.contains("OOM killer") == true, "\(outcome.cause ?? "")")
        #expect(try run.strayProcesses() == [])
    }

    /// The second context takes more and more of a control group of 320 MiB.
    @Test(.enabled(if: MemoryGroup.isPossible, "no control group with a memory limit can be made here"))
    func aDeepeningRunIsStoppedWhereMemoryEnds() throws {
        let (run, ended) = try inGroup(
            #"{"at": "load", "cycle": 1, "kind": "allocate", "mb": 240}, "#
                + #"{"at": "decode", "cycle": 1, "step": 2, "kind": "allocate", "mb": 800, "rest_ns": 100000000}"#,
            arguments: Self.deepening)
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(record.outcome.kind == .governor, "\(record.outcome.cause ?? "")")
        let depths = try #require(record.depths)
        #expect(depths.deepestTokens == .known(512))
        #expect(depths.steps.map(\.contextTokens) == [512, 1024])
        #expect(depths.end == .known(.governor) && depths.phase == .known(.decode))
        #expect(record.outcome.last?.memory.value?["anonymous"] ?? 0 > 200 << 20)
        #expect(record.outcome.last?.kvDepthTokens.value ?? 0 >= 128)
        #expect(try run.strayProcesses() == [])
    }

    @Test(.enabled(if: MemoryGroup.isPossible, "no control group with a memory limit can be made here"))
    func aDeepeningRunThatTheKernelEnds() throws {
        let (run, ended) = try inGroup(
            #"{"at": "load", "cycle": 1, "kind": "allocate", "mb": 2000}"#, on: try Machine(),
            arguments: Self.deepening)
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(record.outcome.kind == .oomKill, "\(record.outcome.cause ?? "")")
        #expect(record.depths?.end == .known(.oomKill) && record.depths?.phase == .known(.load))
        #expect(try run.strayProcesses() == [])
    }

    private static let usual = [
        "--seconds", "60", "--idle", "0", "-p", "8", "-n", "12", "--warmup", "0", "--power", "none",
    ]
    private static let deepening = ["--until-failure", "--seconds", "600", "--idle", "0", "--power", "none"]

    private func inGroup(
        _ faults: String, on machine: Machine? = nil, arguments: [String] = usual
    ) throws -> (ScriptedRun, Program.Ended) {
        var run = try machine?.run ?? ScriptedRun()
        run.arguments = arguments
        if let machine { run.arguments += ["--path.procfs", machine.procfs.path] }
        let script = try run.workplace.file(
            "script.json", #"{"decode": {"ns": 1000000}, "faults": [\#(faults)]}"#)
        let group = try #require(MemoryGroup(limit: 320 << 20))
        let ended = try group.run(
            ["run", "--exec", "\(Program.path("scripted-engine")) \(script)"] + run.arguments,
            in: run.workplace)
        return (run, ended)
    }
}
