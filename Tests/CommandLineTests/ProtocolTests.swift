import Analysis
import Foundation
import TestSupport
import Testing

/// The named workloads with the scripted engine: what each asks of an engine and what the record says of it.
@Suite struct ProtocolTests {
    private static let short = ["--idle", "0", "--power", "none"]

    private func run(_ script: String, _ arguments: [String]) throws -> (Record, errors: String) {
        var run = try ScriptedRun(script)
        run.arguments = Self.short + arguments
        let ended = try run.run()
        #expect(ended.status == 0, "\(ended.errors)")
        return (try run.record(), ended.errors)
    }

    private func shapes(_ record: Record, _ part: Part) -> Set<[Int]> {
        Set(
            (record.generations ?? []).filter { $0.part == part }.map {
                [$0.promptTokens, $0.generatedTokens]
            })
    }

    /// 0.2 s a token at first: a cycle of sustained-v1 would take 51 s. It is said, and all generations that
    /// count have the slow protocol's shape.
    @Test func theSlowProtocolTakesOverAndSaysSo() throws {
        let (record, errors) = try run(
            #"{"prefill": {"ns": 5000000}, "decode": {"ns_by_cycle": [200000000, 2000000]}}"#,
            ["--seconds", "1", "--warmup", "1", "-r", "2"])
        #expect(record.protocol.name == "sustained-slow-v1")
        #expect(record.protocol.promptTokens == 32 && record.protocol.generatedTokens == 64)
        #expect(record.protocol.contextTokens == 384)
        for part in [Part.fromIdle, .warmup, .sustained] { #expect(shapes(record, part) == [[32, 64]]) }
        #expect(shapes(record, .firstToken) == [[128, 6]])
        let warning = try #require(record.warnings.first { $0.contains("sustained-slow-v1 is run instead") })
        #expect(warning.contains("a cycle of sustained-v1 would take about 51"))
        #expect(errors.contains("sustained-slow-v1 is run instead"))
    }

    /// The same engine when the user has named the protocol, or a shape.
    @Test(arguments: [["--protocol", "sustained-v1"], ["-p", "128", "-n", "256"]])
    func aProtocolThatWasNamedStays(words: [String]) throws {
        let (record, _) = try run(
            #"{"prefill": {"ns": 5000000}, "decode": {"ns_by_cycle": [200000000, 1000000]}}"#,
            ["--seconds", "1", "--warmup", "0", "-r", "1"] + words)
        #expect(record.protocol.name == "sustained-v1")
        #expect(shapes(record, .sustained) == [[128, 256]])
        #expect(shapes(record, .firstToken) == [[128, 1]])
        #expect(record.warnings.allSatisfy { !$0.contains("instead") })
    }

    /// Only the first prompt is slow (kernels are compiled): it is asked for again before anything is decided.
    @Test func aSlowFirstPromptDecidesNothing() throws {
        let (record, _) = try run(
            #"{"prefill": {"ns": 5000000, "first_ns": 2000000000}, "decode": {"ns_by_cycle": [114000000, 1000000]}}"#,
            ["--seconds", "1", "--warmup", "0", "-r", "1"])
        #expect(record.protocol.name == "sustained-v1")
        #expect(shapes(record, .firstToken) == [[128, 6], [128, 1]])
        #expect(shapes(record, .fromIdle) == [[128, 256]])
        let first = try #require(record.metrics.firstToken.seconds.value)
        #expect(first > 2)
    }

    @Test func deepDecodesToTheEndOfTheContext() throws {
        let (record, _) = try run(
            #"{"prefill": {"ns": 1000000}, "decode": {"ns": 100000}}"#,
            ["--protocol", "deep", "-c", "500", "--seconds", "5", "--warmup", "0", "-r", "1"])
        #expect(record.protocol.name == "deep")
        #expect(record.protocol.contextTokens == 500)
        #expect(shapes(record, .sustained) == [[128, 372]])
        #expect(record.metrics.wholeCycles == 1)
    }

    /// Unasked, the context is the one that the model was trained with.
    @Test func deepTakesTheModelsOwnContext() throws {
        var run = try ScriptedRun(#"{"prefill": {"ns": 1000000}, "decode": {"ns": 100000}}"#)
        let model = run.workplace.url.appending(path: "m.gguf")
        try TinyModel.bytes(trainedContext: 200).write(to: model)
        run.arguments =
            Self.short + [
                "--protocol", "deep", "--seconds", "5", "--warmup", "0", "-r", "1", "-m", model.path,
            ]
        let ended = try run.run()
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(record.protocol.contextTokens == 200)
        #expect(shapes(record, .sustained) == [[128, 72]])
    }

    /// The sustained part, its warm-up and the generation from idle have marks and windows of their own.
    @Test func partsAreMarked() throws {
        let (record, _) = try run(
            #"{"prefill": {"ns": 5000000}, "decode": {"ns": 1000000}}"#,
            ["--seconds", "1", "--warmup", "2", "-p", "8", "-n", "12"])
        for (name, part) in [("from_idle", Part.fromIdle), ("warmup", .warmup), ("sustained", .sustained)] {
            let windows = record.windows.filter { $0.name == name }
            #expect(windows.count == 1, "\(name)")
            let window = try #require(windows.first)
            #expect(window.whole && window.part == part)
            let inside = record.windows.filter { $0.part == part && $0.name == "decode" }
            #expect(!inside.isEmpty)
            #expect(inside.allSatisfy { $0.begin >= window.begin && $0.end <= window.end })
        }
        #expect(record.windows.count { $0.name == "decode" && $0.part == .warmup } == 2)
    }

    @Test func hashAndStopReasonOfEachGenerationAreKept() throws {
        let script = #"""
            {"prefill": {"ns": 2000000}, "decode": {"ns": 1000000},
             "faults": [{"at": "decode", "cycle": 3, "step": 4, "kind": "truncated"}]}
            """#
        let (record, _) = try run(
            script, ["--seconds", "9", "--warmup", "0", "-p", "8", "-n", "12", "-r", "3"])
        let generations = try #require(record.generations)
        #expect(generations.map(\.cycle) == [0, 1, 2, 3, 4])
        #expect(generations.map(\.stop) == ["length", "length", "length", "truncated", "length"])
        #expect(generations[3].generatedTokens == 4)
        #expect(record.metrics.truncated == 1)
        #expect(record.metrics.wholeCycles == 2)
        // Each cycle has a prompt of its own.
        let hashes = generations.compactMap(\.tokenHash.value)
        #expect(hashes.count == 5 && Set(hashes).count == 5)
    }
}

@Suite struct PBRandomTests {
    /// Decode steps of the four generations: 2, 3, 5 and 4 ms. A prompt of 128 tokens taken one by one is 128 ms.
    private static let script = #"""
        {"prefill": {"ns": 0, "ns_per_batch": 1000000},
         "decode": {"ns_by_cycle": [2000000, 3000000, 5000000, 4000000]}}
        """#

    private func run(_ script: String) throws -> (run: ScriptedRun, ended: Program.Ended) {
        var run = try ScriptedRun(script)
        run.arguments = ["--idle", "0.2", "--power", "none", "--protocol", "pb-random-v1"]
        return (run, try run.run())
    }

    @Test func itIsRunAsPublished() throws {
        let (run, ended) = try run(Self.script)
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(record.protocol.name == "pb-random-v1" && record.protocol.prefillBatchTokens == 1)
        let generations = try #require(record.generations)
        #expect(generations.map(\.part) == [.fromIdle, .sustained, .sustained, .sustained])
        #expect(generations.allSatisfy { $0.promptTokens == 128 && $0.generatedTokens == 256 })
        // One prompt, greedy: the same tokens each time.
        #expect(Set(generations.compactMap(\.tokenHash.value)).count == 1)
        // The engine is fresh: loaded once, and nothing was generated before.
        #expect(record.windows.count { $0.name.hasPrefix("load_") } == 1)
        #expect(!record.windows.contains { $0.part == .firstToken || $0.part == .loadedIdle })
        let prefills = record.windows.filter { $0.name == "prefill" }
        #expect(prefills.count == 4 && prefills.allSatisfy { $0.end - $0.begin >= 0.128 })
        let runs = try #require(record.metrics.coldAndWarm)
        let warm = runs.warm.compactMap(\.decodeTokensPerSecond.number)
        #expect(warm.count == 3)
        #expect(runs.medianWarmDecode.number == warm.sorted()[1])
        // Of steps of 3, 5 and 4 ms, as long as sleeps are never shorter than asked.
        #expect(try #require(runs.medianWarmDecode.number) < 1000 / 3.5)
        let cold = try #require(runs.cold.decodeTokensPerSecond.number)
        #expect(cold > warm.max() ?? 0)
        #expect(record.metrics.fromIdle.decode.tokensPerSecond.number == cold)
        #expect(record.warnings.contains { $0.contains("NOT a controlled-environment benchmark") })
        #expect(ended.text.contains("not a controlled environment"))
        #expect(ended.text.contains("median of warm decodes"))
    }

    /// A worker of before the field would prefill in one batch under the protocol's name.
    @Test func anEngineThatDoesNotKnowTheFieldIsRefused() throws {
        let (run, ended) = try run(
            #"{"prefill": {"ns": 1000000, "obeys_batch": false}, "decode": {"ns": 100000}}"#)
        #expect(ended.status == 5)
        #expect(ended.errors.contains("does not say that it took the prompt 1 token at a time"))
        let outcome = try run.record().outcome
        #expect(outcome.status == .engineFailed && outcome.part == .fromIdle)
        #expect(try run.strayProcesses() == [])
    }

    /// The median of two is not the protocol's.
    @Test func aCutGenerationLeavesNoMedian() throws {
        let script = #"""
            {"prefill": {"ns": 1000000}, "decode": {"ns": 100000},
             "faults": [{"at": "decode", "cycle": 2, "step": 9, "kind": "truncated"}]}
            """#
        let (run, ended) = try run(script)
        #expect(ended.status == 0, "\(ended.errors)")
        let runs = try #require(try run.record().metrics.coldAndWarm)
        #expect(runs.medianWarmDecode.reason == "2 of 3 warm generations were whole")
        #expect(runs.warm.count == 3 && runs.warm[1].decodeTokensPerSecond.number == nil)
    }
}
