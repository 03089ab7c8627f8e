#if Llama
import Analysis
import CHost
import Foundation
import Glibc
import Testing
import WorkerProtocol

@testable import Engines

/// What the llama worker refuses, and that it lives on where it can.
@Suite("The llama worker refuses", .enabled(if: LlamaWorker.model != nil), .serialized)
struct LlamaRefusalTests {
    @Test func pathsWithoutAModel() throws {
        let worker = try LlamaWorker.started().worker
        try worker.process.send(.go)
        let text = try worker.directory.file("text.gguf", "no model at all")
        let broken = try worker.directory.file(
<<<<<<< HEAD
            "broken.gguf", "GGUF\u{3}" + String(repeating: "\u{7f}", count: 40))
=======
            "broken.gguf", "GGUF\u{3}\0\0\0" + String(repeating: "\u{7f}", count: 40))
>>>>>>> main
        let pipe = worker.directory.path + "/pipe.gguf"
        try #require(mkfifo(pipe, 0o600) == 0)
        let causes = [
            worker.directory.path + "/none.gguf": "No such file or directory",
            worker.directory.path: "it is a directory",
            text: "it is no GGUF file",
            pipe: "it is no regular file",
            broken: "failed to load model",
        ]
        for (path, cause) in causes {
            let error = try worker.failure(of: .load(LoadRequest(model: path)))
            #expect(error.thing == path)
            #expect(error.cause.contains(cause), "\(error)")
            #expect(error.code == "load_failed")
            #expect(error.remedy != nil)
            #expect(!error.fatal)
        }
        _ = try worker.ask(.load(LlamaWorker.request()), until: "loaded")
    }

    @Test func impossibleParameters() throws {
        let worker = try LlamaWorker.started().worker
        try worker.process.send(.go)
        let changes: [(String, (inout LoadRequest) -> Void)] = [
            ("-t", { $0.threads = 0 }), ("-t", { $0.threads = 100_000 }),
            ("-c", { $0.contextTokens = 0 }), ("-c", { $0.contextTokens = 1 << 40 }),
            ("-b", { $0.batchTokens = -1 }), ("-ub", { $0.microBatchTokens = 0 }),
            ("-ngl", { $0.gpuLayers = 1 << 40 }), ("-ctk", { $0.cacheTypeK = "q4_K" }),
            ("-ctv", { $0.cacheTypeV = "" }), ("-fa", { $0.flashAttention = "yes" }),
            ("--load-mode", { $0.loadMode = "fast" }),
        ]
        for (flag, change) in changes {
            let error = try worker.failure(of: .load(LlamaWorker.request(change)))
            #expect(error.code == "refused")
            #expect(error.thing.hasSuffix("(\(flag))"), "\(error)")
        }
    }

    @Test func layersOnAGPUThatIsNotThere() throws {
        let (worker, loaded) = try LlamaWorker.loaded()
        guard loaded.devices.isEmpty else { return }
        _ = try worker.ask(.unload, until: "done")
        let error = try worker.failure(of: .load(LlamaWorker.request { $0.gpuLayers = 1 }))
        #expect(error.code == "refused")
        #expect(error.cause.contains("no GPU device"))
        #expect(error.remedy?.contains("-ngl") == true)
    }

    @Test func shapesThatDoNotFit() throws {
        let (worker, loaded) = try LlamaWorker.loaded()
        let context = try #require(loaded.effective.contextTokens)
        for (prompt, generated) in [(context, 1), (1, context), (0, 1), (1, 0), (Int.max, Int.max), (-1, 5)] {
            let error = try worker.failure(
                of: LlamaWorkerTests.generate(seed: 1, prompt: prompt, generated: generated))
            #expect(error.code == "refused")
            #expect(!error.fatal)
        }
        let fitting = try worker.ask(LlamaWorkerTests.generate(seed: 1), until: "done")
        #expect(fitting.last?.done?.stop == .length)
    }

    @Test func commandsOutOfPlace() throws {
        let worker = try LlamaWorker.started().worker
        #expect(try worker.failure(of: .load(LlamaWorker.request())).cause == "it came before go")
        try worker.process.send(.go)
        #expect(try worker.failure(of: .unload).cause == "no model is loaded")
        _ = try worker.ask(.load(LlamaWorker.request()), until: "loaded")
        #expect(try worker.failure(of: .load(LlamaWorker.request())).cause == "a model is loaded already")
    }

    @Test func moreMemoryThanThereIs() throws {
        let worker = try ScriptedWorker.llama(addressSpace: 1 << 20)
        _ = try worker.events(until: "hello")
        try worker.process.send(.go)
        let error = try worker.failure(of: .load(LlamaWorker.request { $0.contextTokens = 1_000_000 }))
        #expect(error.code == "out_of_memory", "\(error)")
        #expect(error.remedy?.contains("-c") == true)
        _ = try worker.ask(.load(LlamaWorker.request()), until: "loaded")
    }

    /// Another library under the same SONAME, by the functions that tell.
    @Test(
        "a library that is not the one of its headers", .enabled(if: compiler != nil),
        arguments: [
            (#"const char *llama_version(void) { return "0.0.1-other"; }"#, "it is another version"),
            (
                """
                struct larger { unsigned context, batch, micro_batch; char rest[300]; };
                struct larger llama_context_default_params(void) {
                    struct larger it = {512, 2048, 512, {[0 ... 299] = 1}};
                    return it;
                }
                """, "its llama_context_params has about 312 bytes"
            ),
            (
                """
                struct smaller { char rest[40]; };
                struct smaller llama_model_default_params(void) {
                    struct smaller it = {{[0 ... 39] = 1}};
                    return it;
                }
                """, "its llama_model_params has about 40 bytes"
            ),
        ])
    func otherLibraries(source: String, cause: String) throws {
        let directory = try ScratchDirectory()
        let library = directory.path + "/other.so"
        let build = Process()
        build.executableURL = URL(filePath: try #require(Self.compiler))
        build.arguments = ["-shared", "-fPIC", "-o", library, try directory.file("other.c", source)]
        try build.run()
        build.waitUntilExit()
        try #require(build.terminationStatus == 0)

        let worker = try ScriptedWorker.llama(environment: ["LD_PRELOAD=\(library)"])
        guard case .error(let error)? = try worker.events(until: "error").last else { return }
        #expect(error.cause.contains(cause), "\(error)")
        #expect(
            error.cause.contains("this sustain was built for \(String(cString: chost_build_llama_version()))")
        )
        #expect(error.remedy?.contains("--llama-lib") == true)
        #expect(error.code == "refused")
        #expect(error.fatal)
        #expect(worker.process.finish().exitStatus == 5)
    }

    /// The struct sizes are told on x86-64 only; elsewhere the worker says that it did not look.
    private static let compiler: String? = {
        #if arch(x86_64)
        ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"].first { access($0, X_OK) == 0 }
        #else
        nil
        #endif
    }()
}
#endif
