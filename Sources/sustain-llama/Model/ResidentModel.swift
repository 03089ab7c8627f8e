#if Llama
import CHost
import CLlama
import WorkerProtocol

/// A model in memory with the one context that generations run in.
struct ResidentModel {
    let request: LoadRequest
    let model: OpaquePointer
    let context: OpaquePointer
    let memory: OpaquePointer
    let pool: ThreadPool
    /// Token ids are below it.
    let vocabulary: UInt32

    /// Loads between the marks `load_begin` and `load_end`.
    static func load(_ request: LoadRequest, channel: EventChannel) throws(WorkerFailure) -> ResidentModel {
        let parameters = try LoadParameters(request)
        try ModelFile.check(request.model)
        EngineLog.beginLoad()
        channel.mark(.loadBegin, at: MonotonicClock.now())
        guard let model = llama_model_load_from_file(request.model, parameters.model) else {
            throw loadFailure(
                request.model, remedy: "check that the file is whole and that this llama.cpp knows its model")
        }
        do throws(WorkerFailure) {
            let resident = try withContext(request, model, parameters)
            channel.mark(.loadEnd, at: MonotonicClock.now())
            return resident
        } catch {
            llama_model_free(model)
            throw error
        }
    }

    /// Frees all of it, in the order in which the parts refer to each other.
    func free() {
        llama_free(context)
        pool.end()
        llama_model_free(model)
        // The allocator keeps freed pages; what the model cost is seen only when the kernel has them back.
        _ = chost_heap_trim()
    }

    /// The parent gets KV and compute buffers in no other way.
    var memoryReport: MemoryReport {
        var bytes = EngineLog.facts.buffers
        bytes["tensors"] = llama_model_size(model)
        return MemoryReport(point: "after_load", bytes: bytes)
    }

    static func withContext(
        _ request: LoadRequest, _ model: OpaquePointer, _ parameters: LoadParameters
    ) throws(WorkerFailure) -> ResidentModel {
        let vocabulary = try checkKind(request.model, model)
        let pool = try ThreadPool(threads: parameters.threads)
        guard let context = llama_init_from_model(model, parameters.context) else {
            pool.end()
            throw loadFailure(
                "context of \(request.model)",
                remedy: "give other cache types (-ctk, -ctv), flash attention (-fa) or context (-c)")
        }
        guard let memory = llama_get_memory(context) else {
            llama_free(context)
            pool.end()
            throw refusal(request.model, "it keeps no context to generate in, as embedding models do")
        }
        pool.attach(to: context)
        return ResidentModel(
            request: request, model: model, context: context, memory: memory, pool: pool,
            vocabulary: vocabulary)
    }

    /// - Returns: the number of token ids. A model without a vocabulary has it from `<arch>.vocab_size`.
    private static func checkKind(_ path: String, _ model: OpaquePointer) throws(WorkerFailure) -> UInt32 {
        guard llama_model_has_decoder(model), !llama_model_has_encoder(model) else {
            throw refusal(path, "it has an encoder: only decoder-only models are measured")
        }
        guard !llama_model_is_diffusion(model) else {
            throw refusal(path, "it is a diffusion model: it does not generate token by token")
        }
        let tokens = llama_vocab_n_tokens(llama_model_get_vocab(model))
        guard tokens > 0 else {
            throw WorkerFailure(
                path, "it has neither a vocabulary nor a vocab_size",
                remedy: "write <architecture>.vocab_size into the file", code: ErrorCode.refused)
        }
        return UInt32(tokens)
    }

    /// - Parameter remedy: what helps when memory was not the reason.
    static func loadFailure(_ thing: String, remedy: String) -> WorkerFailure {
        let cause = EngineLog.complaints ?? "llama.cpp gave no reason"
        let devices = Backends.devices().filter(\.isGPU).map(\.name)
        let code = MemoryShortage.code(in: cause, devices: devices)
        let smaller = "use a smaller model, context (-c) or batch (-b, -ub), or fewer GPU layers"
        return WorkerFailure(
            thing, cause, remedy: code == nil ? remedy : smaller, code: code ?? ErrorCode.loadFailed)
    }

    private static func refusal(_ path: String, _ cause: String) -> WorkerFailure {
        WorkerFailure(path, cause, remedy: "give --model a text generation model", code: ErrorCode.refused)
    }
}
#endif
