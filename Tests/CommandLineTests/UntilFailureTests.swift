import Analysis
import Foundation
import TestSupport
import Testing

/// `run --until-failure`: ever longer contexts, and what ends them.
@Suite struct UntilFailureTests {
    /// Decode steps of 2 us, so that a context is filled in no time.
    private func run(_ faults: String = "", _ more: [String] = []) throws -> (ScriptedRun, Program.Ended) {
        var run = try ScriptedRun(
            #"{"load": {"cold_ns": 1000000, "warm_ns": 1000000}, "prefill": {"ns": 100000}, "#
                + #""decode": {"ns": 2000}, "faults": [\#(faults)]}"#)
        run.arguments = ["--until-failure", "--idle", "0", "--power", "none", "--seconds", "600"] + more
        return (run, try run.run())
    }

    @Test func theLongestContextIsFilled() throws {
        let (run, ended) = try run("", ["-c", "1500"])
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(record.protocol.name == "until-failure-v1")
        #expect(record.outcome.status == .completed)
        #expect(record.outcome.kind == .endReached)
        let depths = try #require(record.depths)
        #expect(depths.steps.map(\.contextTokens) == [512, 1024, 1500])
        #expect(depths.steps.allSatisfy { $0.completed && $0.decodeTokensPerSecond.number != nil })
        #expect(depths.steps.allSatisfy { $0.residentBytes.value ?? 0 > 0 })
        #expect(depths.deepestTokens == .known(1500))
        #expect(depths.end == .known(.endReached))
        #expect(depths.phase.value == nil)
        // No part of it is a cycle of the sustained part, and nothing is said against its repeated loads.
        #expect(record.metrics.wholeCycles == 0)
        #expect(record.windows.count { $0.name == "load" } == 3)
        #expect(!record.warnings.contains { $0.contains("times, it is not used") }, "\(record.warnings)")
        #expect(ended.text.contains("the longest context was filled"))
        #expect(try run.strayProcesses() == [])
    }

    @Test func anEngineThatIsRefusedMemory() throws {
        let (run, ended) = try run(
            #"{"at": "load", "cycle": 2, "kind": "error", "code": "out_of_memory", "#
                + #""thing": "KV cache", "cause": "failed to allocate"}"#)
        // What was looked for was found.
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(record.outcome.status == .engineFailed)
        #expect(record.outcome.kind == .outOfMemory)
        #expect(record.outcome.cause == "KV cache: failed to allocate")
        #expect(record.outcome.last != nil)
        let depths = try #require(record.depths)
        #expect(depths.deepestTokens == .known(1024))
        #expect(depths.steps.last?.contextTokens == 2048 && depths.steps.last?.completed == false)
        #expect(depths.end == .known(.outOfMemory))
        #expect(depths.phase == .known(.load))
        #expect(
            ended.text.contains("the engine was refused memory at 2,048 tokens, in load"), "\(ended.text)")
        #expect(try run.strayProcesses() == [])
    }

    @Test func anEngineThatCrashesInTheMiddle() throws {
        let (run, ended) = try run(#"{"at": "decode", "cycle": 1, "step": 700, "kind": "crash"}"#)
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(record.outcome.kind == .signal && record.outcome.signal == SIGSEGV)
        #expect(record.outcome.part == .deepening)
        #expect(record.outcome.last?.tokens.value ?? 0 >= 1)
        #expect(record.outcome.last?.kvDepthTokens.value ?? 0 >= 128)
        #expect(record.depths?.phase == .known(.decode))
        #expect(record.depths?.deepestTokens == .known(512))
    }

    @Test func anEngineThatCannotGoOn() throws {
        let (run, ended) = try run(#"{"at": "decode", "cycle": 1, "step": 9, "kind": "truncated"}"#)
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(record.outcome.kind == .engineError)
        #expect(record.outcome.cause?.contains("after 9 tokens") == true)
    }

    @Test func withoutOneFilledContextItIsAFailureAsAnyOther() throws {
        let (run, ended) = try run(#"{"at": "load", "kind": "crash"}"#)
        #expect(ended.status == 5)
        #expect(try run.record().depths?.deepestTokens.value == nil)
    }

    @Test func theTimeIsOver() throws {
        var run = try ScriptedRun(#"{"decode": {"ns": 5000000}}"#)
        run.arguments = ["--until-failure", "--idle", "0", "--power", "none", "--seconds", "0.5"]
        let ended = try run.run()
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(record.outcome.status == .completed && record.outcome.kind == .timeOver)
        #expect(record.depths?.steps.map(\.completed) == [false])
    }

    @Test(arguments: [
        ["--protocol", "deep"], ["-r", "3"], ["--warmup", "1"], ["-p", "8"], ["-n", "8"], ["-c", "100"],
    ])
    func whatItFixesIsNotAskedForOtherwise(words: [String]) throws {
        let run = try ScriptedRun()
        var bare = run
        bare.arguments = ["--until-failure"]
        #expect(try bare.run(words).status == 2)
    }

    // MARK: With an estimate

    private func machine(mebibytes: Int, in place: Workplace) throws -> String {
        let root = place.url.appending(path: "proc")
        try FileManager.default.createDirectory(
            at: root.appending(path: "self"), withIntermediateDirectories: true)
        let text = "MemTotal: 33554432 kB\nMemAvailable: \(mebibytes * 1024) kB\n"
        try Data(text.utf8).write(to: root.appending(path: "meminfo"))
        try Data("0::/\n".utf8).write(to: root.appending(path: "self/cgroup"))
        return root.path
    }

    /// 128 KiB of cache a token, 64 MiB of weights and some 600 MiB beside: the fit's gates say no from the first
    /// context on, and at 4096 tokens there is less than would be needed.
    @Test func whatTheFitSaysIsToldAndWhatThereIsEndsIt() throws {
        var run = try ScriptedRun(#"{"prefill": {"ns": 100000}, "decode": {"ns": 2000}}"#)
        let model = try SparseModel.write("m.gguf", mebibytes: 64, in: run.workplace)
        run.arguments = [
            "--until-failure", "--idle", "0", "--power", "none", "-m", model, "-ngl", "0", "--path.procfs",
            try machine(mebibytes: 1024, in: run.workplace),
        ]
        let ended = try run.run()
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(record.outcome.status == .completed)
        let depths = try #require(record.depths)
        #expect(depths.end == .known(.predictedEnd), "\(depths)")
        #expect(depths.predictedEndTokens == .known(512))
        #expect(depths.deepestTokens == .known(2048))
        #expect(depths.steps.last?.contextTokens == 4096 && depths.steps.last?.completed == false)
        #expect(record.warnings.count { $0.contains("--until-failure goes on") } == 1)
        // One peak and several estimates: no later run learns from it.
        #expect(FitObservation(record) == nil)
        #expect(record.memory.estimatedPeak == nil)
    }

    @Test func whereEvenTheFirstCannotBeItIsRefused() throws {
        var run = try ScriptedRun()
        let model = try SparseModel.write("m.gguf", mebibytes: 4096, in: run.workplace)
        run.arguments = [
            "--until-failure", "--idle", "0", "--power", "none", "-m", model, "-ngl", "0", "--path.procfs",
            try machine(mebibytes: 1024, in: run.workplace),
        ]
        let ended = try run.run()
        #expect(ended.status == 4, "\(ended.errors)")
        #expect(try run.record().outcome.status == .refused)
    }
}
