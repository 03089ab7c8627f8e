#if Llama
import CHost
import CLlama
import Glibc

/// Compares the libllama that was loaded with the headers this worker was compiled against.
///
/// `--llama-lib DIR` and LD_LIBRARY_PATH put another library under the same SONAME, llama.h has no version
/// macro and hands its parameter structs over by value: a larger struct would overwrite our stack. So the
/// version, the functions and the struct sizes are checked before the first such call, known default
/// values at that call.
enum AbiCheck {
    /// - Returns: what was checked, for `hello`.
    /// - Throws: a fatal refusal that names both versions.
    static func run() throws(WorkerFailure) -> String {
        let library = libraryVersion()
        let missing = Symbols.missing
        guard missing.isEmpty else {
            throw refusal(library, "it lacks \(missing.prefix(3).joined(separator: ", "))")
        }
        let headers = headersVersion
        if !headers.isEmpty && library != headers {
            throw refusal(library, "it is another version")
        }
        let sizes = try checkSizes(library)
        try checkDefaults(library)
        return headers.isEmpty ? "\(sizes), version of the headers unknown" : sizes
    }

    static var headersVersion: String { String(cString: chost_build_llama_version()) }

    /// Called by address: a library without `llama_version` must not end the process.
    private static func libraryVersion() -> String {
        typealias Version = @convention(c) () -> UnsafePointer<CChar>?
        guard let address = Symbols.address("llama_version") else { return "unknown" }
        return unsafeBitCast(address, to: Version.self)().map { String(cString: $0) } ?? "unknown"
    }

    private static func checkSizes(_ library: String) throws(WorkerFailure) -> String {
        let structs: [(name: String, returnedBy: String, size: Int, alignment: Int)] = [
            (
                "llama_model_params", "llama_model_default_params",
                MemoryLayout<llama_model_params>.size, MemoryLayout<llama_model_params>.alignment
            ),
            (
                "llama_context_params", "llama_context_default_params",
                MemoryLayout<llama_context_params>.size, MemoryLayout<llama_context_params>.alignment
            ),
            (
                "llama_batch", "llama_batch_get_one",
                MemoryLayout<llama_batch>.size, MemoryLayout<llama_batch>.alignment
            ),
            (
                "ggml_threadpool_params", "ggml_threadpool_params_default",
                MemoryLayout<ggml_threadpool_params>.size, MemoryLayout<ggml_threadpool_params>.alignment
            ),
        ]
        for item in structs {
            let extent = chost_returned_extent(Symbols.address(item.returnedBy))
            if extent < 0 { return "struct sizes not checked on this architecture" }
            guard extent <= item.size, extent > item.size - item.alignment else {
                throw refusal(
                    library, "its \(item.name) has about \(extent) bytes, the headers' has \(item.size)")
            }
        }
        return "struct sizes checked"
    }

    /// Fields that moved inside a struct of the same size show as defaults in the wrong place.
    /// Source: llama_context_default_params and llama_model_default_params of llama.cpp.
    private static func checkDefaults(_ library: String) throws(WorkerFailure) {
        let context = llama_context_default_params()
        let model = llama_model_default_params()
        guard context.n_ctx == 512, context.n_batch == 2048, context.n_ubatch == 512,
            context.n_seq_max == 1, context.yarn_ext_factor == -1, context.type_k == GGML_TYPE_F16,
            context.type_v == GGML_TYPE_F16, context.offload_kqv, !context.embeddings,
            model.devices == nil, model.n_gpu_layers == -1, !model.vocab_only, model.use_extra_bufts
        else { throw refusal(library, "its default parameters are not where the headers have them") }
    }

    private static func refusal(_ library: String, _ cause: String) -> WorkerFailure {
        let headers = headersVersion.isEmpty ? "an unknown version" : headersVersion
        let path = MappedLibraries.paths().first { $0.contains("/libllama") } ?? "libllama"
        return WorkerFailure(
            path, "\(cause): the library is \(library), this sustain was built for \(headers)",
            remedy: "point --llama-lib at a build of \(headers), or build sustain for the library with "
                + "scripts/bootstrap --llama-prefix DIR",
            code: ErrorCode.refused, fatal: true)
    }
}
#endif
