import Analysis
import CHost
import Glibc
import Testing
import WorkerProtocol

@testable import Engines

/// A worker that behaves.
@Suite struct ProcessConversationTests {
    /// Short lengths: what is checked is order and content.
    static let quick = #"""
        {"load": {"cold_ns": 2000000, "warm_ns": 1000000}, "prefill": {"ns": 2000000},
         "decode": {"ns": 1000000}, "unload_ns": 1000000}
        """#

    @Test func aWholeConversationComesInOrder() throws {
        let worker = try ScriptedWorker(Self.quick)
        let hello = try worker.events(until: "hello")
        #expect(hello == [.hello(Hello(engine: "scripted", version: "1", pids: [worker.process.pid]))])
        try worker.process.send(.go)

        let load = try worker.ask(.load(LoadRequest(model: "model.gguf")), until: "loaded")
        #expect(load.compactMap(\.markName) == [.loadBegin, .loadEnd])

        let generation = try worker.ask(ScriptedWorker.request(cycle: 3, generated: 20), until: "done")
        #expect(generation.compactMap(\.markName) == [.submit, .firstToken, .lastToken])
        let stamps = generation.flatMap(\.stamps)
        #expect(stamps.count == 20)
        #expect(stamps == stamps.sorted())
        #expect(generation.mark(.firstToken)?.nanoseconds == stamps.first)
        #expect(generation.mark(.lastToken)?.nanoseconds == stamps.last)
        #expect(generation.compactMap(\.markCycle) == [3, 3, 3])
        let done = try #require(generation.last?.done)
        #expect(done.stop == .length)
        #expect(done.promptTokens == 8)
        #expect(done.generatedTokens == 20)

        let unload = try worker.ask(.unload, until: "done")
        #expect(unload.compactMap(\.markName) == [.unloadBegin, .unloadEnd])
        #expect(unload.last == .done(Done(command: "unload")))

        let exit = worker.process.finish()
        #expect(exit.isInOrder)
        #expect(exit.exitStatus == 0)
        #expect(exit.step == .quit)
        #expect(worker.process.finish() == exit)
    }

    @Test func aSingleTokenHasAllThreeMarks() throws {
        let worker = try ScriptedWorker(Self.quick)
        try worker.load()
        let generation = try worker.ask(ScriptedWorker.request(generated: 1), until: "done")
        #expect(generation.compactMap(\.markName) == [.submit, .firstToken, .lastToken])
        #expect(generation.flatMap(\.stamps).count == 1)
        #expect(generation.mark(.firstToken)?.nanoseconds == generation.mark(.lastToken)?.nanoseconds)
    }

    @Test func theSeedAloneDecidesTheTokens() throws {
        let worker = try ScriptedWorker(Self.quick)
        try worker.load()
        var hashes: [String] = []
        for seed: UInt64 in [1, 1, 2] {
            let generation = try worker.ask(ScriptedWorker.request(seed: seed), until: "done")
            hashes.append(try #require(generation.last?.done?.tokenHash))
        }
        #expect(hashes[0] == hashes[1])
        #expect(hashes[0] != hashes[2])
    }

    @Test(arguments: [(0, 1_000_000), (1, 5_000_000), (9, 5_000_000)])
    func stepsLastAsLongAsTheScriptSays(cycle: Int, step: Int) throws {
        // A list by cycle, held at its last entry, and 1 ms more per position.
        let worker = try ScriptedWorker(
            #"{"load": {"cold_ns": 0}, "prefill": {"ns": 0}, "#
                + #""decode": {"ns_by_cycle": [1000000, 5000000], "growth_ns_per_position": 1000000}}"#)
        try worker.load()
        let command = ScriptedWorker.request(cycle: cycle, prompt: 2, generated: 3)
        let generation = try worker.ask(command, until: "done")
        let stamps = generation.flatMap(\.stamps)
        // Deadlines count from the submission; a step can end late, but not early.
        let submit = try #require(generation.mark(.submit)?.nanoseconds)
        let last = try #require(stamps.last)
        #expect(last - submit >= UInt64(2 * step + (2 + 1) * 1_000_000 + (2 + 2) * 1_000_000))
    }

    @Test func aDeadlineThatIsOverCutsAtTheFirstToken() throws {
        let worker = try ScriptedWorker(Self.quick)
        try worker.load()
        let generation = try worker.ask(ScriptedWorker.request(generated: 50, deadline: 1), until: "done")
        let done = try #require(generation.last?.done)
        #expect(done.stop == .deadline)
        #expect(done.generatedTokens == 1)
        #expect(generation.compactMap(\.markName) == [.submit, .firstToken, .lastToken])
    }

    @Test func stopCutsTheRunningGenerationAndNoLaterOne() throws {
        let worker = try ScriptedWorker(
            #"{"load": {"cold_ns": 0}, "prefill": {"ns": 0}, "decode": {"ns_by_cycle": [20000000, 0]}}"#)
        try worker.load()
        try worker.process.send(ScriptedWorker.request(cycle: 0, generated: 100_000))
        _ = try worker.events(until: "mark")
        try worker.process.send(.stop)
        try worker.process.send(ScriptedWorker.request(cycle: 1, generated: 5))
        let received = try worker.receive { $0.event?.done?.cycle == 1 }
        #expect(received.compactMap(\.event?.done?.stop) == [.stopped, .length])
    }

    @Test func commandsOutOfPlaceAreRefusedAndTheWorkerGoesOn() throws {
        let worker = try ScriptedWorker(Self.quick)
        _ = try worker.events(until: "hello")
        try worker.process.send(.go)
        for command in [ScriptedWorker.request(), .unload] {
            guard case .error(let error)? = try worker.ask(command, until: "error").last else {
                throw SetUpError("no error")
            }
            #expect(error.code == "refused")
            #expect(!error.fatal)
        }
        #expect(worker.process.finish().isInOrder)
    }

    @Test func thePhaseFileHoldsTheStampOfEachMark() throws {
        let directory = try ScratchDirectory()
        let phases = directory.path + "/phases"
        let worker = try ScriptedWorker(
            #"""
            {"load": {"cold_ns": 0}, "prefill": {"ns": 0}, "decode": {"ns": 0}, "phase_append": true,
             "phases": {"prefill": "140 {t_ns}", "decode": "90 {t_ns}", "gap": "20 {t_ns}"}}
            """#, environment: ["SUSTAIN_PHASE_FILE=\(phases)"])
        try worker.load()
        let generation = try worker.ask(ScriptedWorker.request(), until: "done")
        let written = String(decoding: try #require(smallFile(phases)), as: UTF8.self).split(separator: "\n")
        let expected = zip(["140", "90", "20"], [Mark.Name.submit, .firstToken, .lastToken]).map {
            "\($0) \(generation.mark($1)?.nanoseconds ?? 0)"
        }
        // The first line is that of load_end, which has no phase of its own here and counts as a gap.
        #expect(written.dropFirst().map(String.init) == expected)
    }
}
