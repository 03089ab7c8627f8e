#if Llama
import CLlama
import WorkerProtocol

/// What is in force after a load: read back from the context where llama.cpp has a function for it, from
/// its log where not. A fact that neither tells stays nil.
extension ResidentModel {
    var loaded: Loaded {
        let facts = EngineLog.facts
        let devices = Backends.devices()
        let used = devices.filter { $0.isGPU && Self.uses($0, facts) }
        let accelerators = devices.filter { $0.type == GGML_BACKEND_DEVICE_TYPE_ACCEL }
        var loaded = Loaded(
            description: description, backends: ["CPU"], effective: effective(facts))
        for device in used + accelerators where !loaded.backends.contains(device.backend) {
            loaded.backends.append(device.backend)
        }
        loaded.devices = used.map { Loaded.Device(name: $0.name, pciID: $0.pciID) }
        loaded.parameters = llama_model_n_params(model)
        loaded.sizeBytes = llama_model_size(model)
        loaded.trainedContextTokens = Int(llama_model_n_ctx_train(model))
        loaded.layers = Int(llama_model_n_layer(model))
        loaded.vocabularyTokens = Int(vocabulary)
        loaded.libraries = MappedLibraries.paths()
        loaded.systemInfo = Backends.systemInfo
        return loaded
    }

    private func effective(_ facts: LogFacts) -> LoadRequest {
        var effective = LoadRequest(model: request.model)
        effective.contextTokens = Int(llama_n_ctx(context))
        effective.batchTokens = Int(llama_n_batch(context))
        effective.microBatchTokens = Int(llama_n_ubatch(context))
        effective.threads = Int(llama_n_threads(context))
        effective.gpuLayers = llama_supports_gpu_offload() ? facts.offloadedLayers : 0
        // The types are taken as asked or refused; a recurrent model has no such cache.
        if !llama_model_is_recurrent(model) {
            effective.cacheTypeK = request.cacheTypeK ?? "f16"
            effective.cacheTypeV = request.cacheTypeV ?? "f16"
        }
        effective.flashAttention = facts.flashAttention
        effective.loadMode = facts.loadMode
        return effective
    }

    private var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            guard let start = text.baseAddress, llama_model_desc(model, start, text.count) >= 0 else {
                return ""
            }
            return String(cString: start)
        }
    }

    /// A device is in use when a buffer of the load lies on it; where the log names no buffer, every GPU
    /// counts as used, because llama.cpp takes all it finds.
    private static func uses(_ device: Backends.Device, _ facts: LogFacts) -> Bool {
        guard !facts.buffers.isEmpty else { return true }
        return facts.buffers.contains { name, bytes in bytes > 0 && LogFacts.lies(name, on: device.name) }
    }
}
#endif
