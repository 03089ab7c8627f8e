import Analysis
import CHost
import Glibc
import Testing
import WorkerProtocol

@testable import Engines

#if Llama
/// Conversations with the llama worker over a real model.
@Suite("The llama worker", .enabled(if: LlamaWorker.model != nil), .serialized)
struct LlamaWorkerTests {
    @Test func itSaysWhoItIsAndMakesNoThreadBeforeGo() throws {
        let (worker, hello) = try LlamaWorker.started()
        #expect(hello.engine == "llama")
        #expect(hello.version == String(cString: chost_build_llama_version()))
        #expect(hello.build?.contains("struct sizes") == true)
        #expect(hello.pids == [worker.process.pid])
        #expect(hello.libraries.contains { $0.contains("/libllama.so") })
        #expect(hello.libraries.allSatisfy { access($0, R_OK) == 0 })
        let status = String(
            decoding: smallFile("/proc/\(worker.process.pid)/status") ?? [], as: UTF8.self)
        #expect(status.contains("Threads:\t1\n"))
    }

    @Test func loadingAnswersWithWhatIsInForce() throws {
        let worker = try LlamaWorker.started().worker
        try worker.process.send(.go)
        let request = LlamaWorker.request {
            $0.contextTokens = 300
            $0.batchTokens = 64
            $0.microBatchTokens = 32
            $0.cacheTypeK = "q8_0"
            $0.flashAttention = "on"
            $0.loadMode = "none"
        }
        let events = try worker.ask(.load(request), until: "loaded")
        #expect(events.compactMap(\.markName) == [.loadBegin, .loadEnd])
        guard case .loaded(let loaded)? = events.last else { return }
        // llama.cpp rounds a context up.
        #expect(loaded.effective.contextTokens ?? 0 >= 300)
        #expect(loaded.effective.batchTokens == 64)
        #expect(loaded.effective.microBatchTokens == 32)
        #expect(loaded.effective.threads == 1)
        #expect(loaded.effective.cacheTypeK == "q8_0")
        #expect(loaded.effective.cacheTypeV == "f16")
        #expect(loaded.effective.flashAttention == "on")
        #expect(loaded.effective.loadMode == "none")
        #expect(loaded.backends.contains("CPU"))
        let file = try ModelFile.inspect(path: request.model)
        #expect(loaded.parameters == file.summary.parameters)
        #expect(loaded.vocabularyTokens.map { UInt64($0) } == file.shape.vocabulary.map { UInt64($0) })
        let memory = events.compactMap { if case .memory(let report) = $0 { report } else { nil } }
        #expect(memory.map(\.point) == ["after_load"])
        #expect(memory.first?.bytes["tensors"] == loaded.sizeBytes)
        #expect(memory.first?.bytes.keys.contains { $0.hasSuffix(" KV") } == true)
    }

    @Test func choicesLeftOpenAreMadeAndReported() throws {
        let effective = try LlamaWorker.loaded().loaded.effective
        #expect(["on", "off"].contains(effective.flashAttention))
        #expect(["mmap", "none"].contains(effective.loadMode))
        #expect(effective.cacheTypeK == "f16")
        #expect(effective.gpuLayers != nil)
        #expect(effective.batchTokens ?? 0 > 0)
    }

    @Test func greedyTokensFollowFromTheSeedAlone() throws {
        let worker = try LlamaWorker.loaded().worker
        var hashes: [String] = []
        for seed: UInt64 in [1, 1, 2] {
            let generation = try worker.ask(Self.generate(seed: seed), until: "done")
            #expect(generation.compactMap(\.markName) == [.submit, .firstToken, .lastToken])
            let stamps = generation.flatMap(\.stamps)
            #expect(stamps.count == 8)
            #expect(stamps == stamps.sorted())
            #expect(generation.mark(.firstToken)?.nanoseconds == stamps.first)
            #expect(generation.mark(.lastToken)?.nanoseconds == stamps.last)
            let done = try #require(generation.last?.done)
            #expect(done.stop == .length)
            #expect(done.promptTokens == 16)
            #expect(done.generatedTokens == 8)
            hashes.append(try #require(done.tokenHash))
        }
        #expect(hashes[0] == hashes[1])
        #expect(hashes[0] != hashes[2])
    }

    @Test func randomTokensGoOnWhereThePromptEnds() throws {
        let (worker, loaded) = try LlamaWorker.loaded()
        let vocabulary = UInt32(try #require(loaded.vocabularyTokens))
        var hash = TokenHash()
        for token in SeededTokens.prompt(seed: 5, count: 24, vocabulary: vocabulary)[16...] {
            hash.add(token)
        }
        let generation = try worker.ask(Self.generate(seed: 5, sampling: .random), until: "done")
        #expect(generation.last?.done?.tokenHash == hash.text)
    }

    @Test func anUnloadedModelCanBeLoadedAgain() throws {
        let worker = try LlamaWorker.loaded().worker
        let first = try worker.ask(Self.generate(seed: 1), until: "done").last?.done
        let unload = try worker.ask(.unload, until: "done")
        #expect(unload.compactMap(\.markName) == [.unloadBegin, .unloadEnd])
        #expect(try worker.failure(of: Self.generate(seed: 1)).code == "refused")
        #expect(try worker.failure(of: .unload).code == "refused")
        _ = try worker.ask(.load(LlamaWorker.request()), until: "loaded")
        #expect(try worker.ask(Self.generate(seed: 1), until: "done").last?.done == first)
        #expect(worker.process.finish().isInOrder)
    }

    @Test func aGenerationIsCutAtAToken() throws {
        let worker = try LlamaWorker.loaded().worker
        let late = try worker.ask(Self.generate(seed: 1, generated: 200, deadline: 1), until: "done")
        #expect(late.last?.done?.stop == .deadline)
        #expect(late.last?.done?.generatedTokens == 1)
        #expect(late.compactMap(\.markName) == [.submit, .firstToken, .lastToken])

        try worker.process.send(Self.generate(seed: 1, generated: 200))
        let stopped = try worker.ask(.stop, until: "done")
        let done = try #require(stopped.last?.done)
        #expect(done.stop == .stopped)
        #expect(stopped.flatMap(\.stamps).count == done.generatedTokens)

        // A stop that meets no generation leaves the next one whole.
        try worker.process.send(.stop)
        let whole = try worker.ask(Self.generate(seed: 1), until: "done")
        #expect(whole.last?.done?.stop == .length)
    }

    /// Token by token it takes longer, can be cut after any token, and says what it did.
    @Test func aPromptIsTakenTokenByToken() throws {
        let worker = try LlamaWorker.loaded().worker
        #expect(try worker.ask(Self.generate(seed: 1), until: "done").last?.done?.prefillBatchTokens == nil)
        var hashes: Set<String?> = []
        for _ in 0..<2 {
            let done = try worker.ask(Self.generate(seed: 1, batch: 1), until: "done").last?.done
            #expect(done?.prefillBatchTokens == 1 && done?.promptTokens == 16 && done?.stop == .length)
            hashes.insert(done?.tokenHash)
        }
        #expect(hashes.count == 1)
        let cut = try worker.ask(Self.generate(seed: 1, deadline: 1, batch: 1), until: "done").last?.done
        #expect(cut?.stop == .deadline && cut?.promptTokens == 1 && cut?.generatedTokens == 0)
        #expect(try worker.failure(of: Self.generate(seed: 1, batch: 0)).code == "refused")
    }

    static func generate(
        seed: UInt64, prompt: Int = 16, generated: Int = 8, sampling: Sampling = .greedy,
        deadline: UInt64? = nil, batch: Int? = nil
    ) -> Command {
        .generate(
            GenerateRequest(
                cycle: 0, promptTokens: prompt, generatedTokens: generated, seed: seed, sampling: sampling,
                deadlineNanoseconds: deadline, prefillBatchTokens: batch))
    }
}
#else
@Suite("The llama worker of a build without llama.cpp")
struct LlamaWorkerStubTests {
    @Test func itSaysHowToGetOne() throws {
        let worker = try ScriptedWorker.llama()
        guard case .error(let error)? = try worker.events(until: "error").last else { return }
        #expect(error.cause == "this sustain was built without llama.cpp")
        #expect(error.remedy?.contains("scripts/bootstrap") == true)
        #expect(error.remedy?.contains("--llama-prefix DIR") == true)
        #expect(error.code == "refused")
        #expect(error.fatal)
        #expect(worker.process.finish().exitStatus == 5)
    }
}
#endif
