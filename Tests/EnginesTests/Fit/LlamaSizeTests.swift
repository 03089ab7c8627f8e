import Analysis
import Testing
import WorkerProtocol

@testable import Engines

#if Llama
/// The dry run of the llama worker over a real model.
@Suite("What a load would take", .enabled(if: LlamaWorker.model != nil), .serialized)
struct LlamaSizeTests {
    private func sized(_ worker: ScriptedWorker, _ request: LoadRequest) throws -> Sized {
        guard case .sized(let sized)? = try worker.ask(.size(request), until: "sized").last else {
            throw SetUpError("not sized")
        }
        return sized
    }

    @Test func aDryRunTellsWhatALoadThenTakes() throws {
        let worker = try LlamaWorker.started().worker
        try worker.process.send(.go)
        let request = LlamaWorker.request {
            $0.contextTokens = 1024
            $0.cacheTypeK = "q8_0"
            // A mapping has no place in a dry run: it must not end the process.
            $0.loadMode = "mmap"
        }
        let sized = try sized(worker, request)
        let events = try worker.ask(.load(request), until: "loaded")
        let memory = events.compactMap { if case .memory(let report) = $0 { report.bytes } else { nil } }
        let bytes = try #require(memory.first)
        func sum(_ end: String) -> UInt64 { bytes.filter { $0.key.hasSuffix(end) }.values.reduce(0, +) }
        if sized.devices.isEmpty {
            // Both are logged with two decimals of a MiB.
            let kv = try #require(sized.kvBytes)
            #expect(abs(Int64(kv) - Int64(sum(" KV"))) < 20_000)
            // The load reserves rows of logits that no step asks for.
            let compute = try #require(sized.computeBytes)
            #expect(compute > 0)
            #expect(compute <= sum(" compute") + sum(" output"))
            #expect(sized.repacks == bytes.keys.contains { $0.hasPrefix("CPU_REPACK") })
        }
        let header = try ModelFile.inspect(path: request.model)
        var parameters = FitParameters(contextTokens: 1024)
        parameters.cacheTypeK = "q8_0"
        let formula = CacheSize(header.shape, parameters).kvBytes
        #expect(abs(Int64(formula) - Int64(sized.kvBytes ?? 0)) < 10_000)
    }

    @Test func itIsRefusedOutOfPlace() throws {
        let worker = try LlamaWorker.loaded().worker
        #expect(try worker.failure(of: .size(LlamaWorker.request())).code == "refused")
    }

    @Test func aModelThatIsNoneCostsTheAnswerAndNothingElse() throws {
        let worker = try LlamaWorker.started().worker
        try worker.process.send(.go)
        let failure = try worker.failure(of: .size(LlamaWorker.request { $0.model = "/dev/null" }))
        #expect(failure.code == "load_failed")
        #expect(try sized(worker, LlamaWorker.request()).kvBytes != nil)
    }
}
#endif
