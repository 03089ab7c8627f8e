#if Llama
import CLlama
import WorkerProtocol

/// A load request in llama.cpp's terms, as llama-bench maps its flags.
struct LoadParameters {
    private(set) var model: llama_model_params
    private(set) var context: llama_context_params

    /// - Throws: a refusal that names the value.
    init(_ request: LoadRequest) throws(WorkerFailure) {
        model = llama_model_default_params()
        context = llama_context_default_params()
        // llama-bench measures with a window-sized cache for sliding window attention.
        context.swa_full = false
        if let tokens = request.contextTokens { context.n_ctx = try Self.count(tokens, "context (-c)") }
        if let tokens = request.batchTokens { context.n_batch = try Self.count(tokens, "batch (-b)") }
        if let tokens = request.microBatchTokens {
            context.n_ubatch = try Self.count(tokens, "micro batch (-ub)")
        }
        try setThreads(request.threads ?? UsableCores.count())
        if let layers = request.gpuLayers { try setLayers(layers) }
        if let name = request.cacheTypeK { context.type_k = try Self.cacheType(name, "K") }
        if let name = request.cacheTypeV { context.type_v = try Self.cacheType(name, "V") }
        if let mode = request.flashAttention { context.flash_attn_type = try Self.flashAttention(mode) }
        if let mode = request.loadMode { model.load_mode = try Self.loadMode(mode) }
    }

    /// Makes a load a dry run: llama.cpp reads the header, lays everything out and allocates next to nothing.
    mutating func simulate() {
        model.no_alloc = true
        // A mapping has no place in a dry run: llama.cpp ends the process by an assertion.
        model.load_mode = LLAMA_LOAD_MODE_NONE
        // Logits of one token a step, as `generate` asks for them; what is reserved for more is never touched.
        context.n_outputs_max = 1
    }

    /// Threads of the context, and of the pool attached to it.
    var threads: Int32 { context.n_threads }

    private mutating func setThreads(_ threads: Int) throws(WorkerFailure) {
        // GGML_MAX_N_THREADS; above it ggml ends the process by an assertion.
        guard (1...Int(GGML_MAX_N_THREADS)).contains(threads) else {
            throw Self.refusal("threads (-t)", "\(threads) is not from 1 to \(GGML_MAX_N_THREADS)")
        }
        context.n_threads = Int32(threads)
        context.n_threads_batch = Int32(threads)
    }

    private mutating func setLayers(_ layers: Int) throws(WorkerFailure) {
        guard let number = Int32(exactly: layers) else {
            throw Self.refusal("GPU layers (-ngl)", "\(layers) is out of range")
        }
        guard number <= 0 || llama_supports_gpu_offload() else {
            throw WorkerFailure(
                "GPU layers (-ngl)", "\(layers) asked for, but this build of llama.cpp has no GPU device",
                remedy: "leave -ngl out, or point --llama-lib at a build with a GPU backend",
                code: ErrorCode.refused)
        }
        model.n_gpu_layers = number
    }

    private static func count(_ tokens: Int, _ thing: String) throws(WorkerFailure) -> UInt32 {
        // llama.cpp keeps token counts in 32-bit signed numbers in many places.
        guard tokens > 0, let number = Int32(exactly: tokens) else {
            throw refusal(thing, "\(tokens) tokens is out of range")
        }
        return UInt32(number)
    }

    /// llama-bench's list: other types end in an assertion inside ggml.
    private static func cacheType(_ name: String, _ cache: String) throws(WorkerFailure) -> ggml_type {
        let types = [
            GGML_TYPE_F16, GGML_TYPE_BF16, GGML_TYPE_Q8_0, GGML_TYPE_Q4_0, GGML_TYPE_Q4_1,
            GGML_TYPE_Q5_0, GGML_TYPE_Q5_1, GGML_TYPE_IQ4_NL,
        ]
        let names = types.map { String(cString: ggml_type_name($0)) }
        guard let index = names.firstIndex(of: name) else {
            throw refusal(
                "\(cache) cache type (-ct\(cache.lowercased()))",
                "\"\(name)\" is none of \(names.joined(separator: ", "))")
        }
        return types[index]
    }

    private static func flashAttention(_ mode: String) throws(WorkerFailure) -> llama_flash_attn_type {
        switch mode {
        case "on": LLAMA_FLASH_ATTN_TYPE_ENABLED
        case "off": LLAMA_FLASH_ATTN_TYPE_DISABLED
        case "auto": LLAMA_FLASH_ATTN_TYPE_AUTO
        default: throw refusal("flash attention (-fa)", "\"\(mode)\" is none of on, off, auto")
        }
    }

    private static func loadMode(_ mode: String) throws(WorkerFailure) -> llama_load_mode {
        switch mode {
        case "auto": LLAMA_LOAD_MODE_AUTO
        case "none": LLAMA_LOAD_MODE_NONE
        case "mmap": LLAMA_LOAD_MODE_MMAP
        case "mlock": LLAMA_LOAD_MODE_MLOCK
        case "mmap+mlock": LLAMA_LOAD_MODE_MMAP_MLOCK
        case "direct-io": LLAMA_LOAD_MODE_DIRECT_IO
        default:
            throw refusal(
                "load mode (--load-mode)",
                "\"\(mode)\" is none of auto, none, mmap, mlock, mmap+mlock, direct-io")
        }
    }

    private static func refusal(_ thing: String, _ cause: String) -> WorkerFailure {
        WorkerFailure(thing, cause, code: ErrorCode.refused)
    }
}
#endif
