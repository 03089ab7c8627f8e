#if Llama
import CLlama
import WorkerProtocol

/// The dry run: what a load would allocate, told by llama.cpp itself.
extension ResidentModel {
    static func size(_ request: LoadRequest) throws(WorkerFailure) -> Sized {
        var parameters = try LoadParameters(request)
        parameters.simulate()
        try ModelFile.check(request.model)
        EngineLog.beginLoad()
        guard let model = llama_model_load_from_file(request.model, parameters.model) else {
            throw loadFailure(
                request.model, remedy: "check that the file is whole and that this llama.cpp knows its model")
        }
        do throws(WorkerFailure) {
            let resident = try withContext(request, model, parameters)
            // Freed with the rest.
            let sized = EngineLog.facts.sized(gpus: Backends.devices().filter(\.isGPU))
            resident.free()
            return sized
        } catch {
            llama_model_free(model)
            throw error
        }
    }
}

extension LogFacts {
    /// - Parameter gpus: those of which a buffer of the load would lie on one are in use.
    fileprivate func sized(gpus: [Backends.Device]) -> Sized {
        let used = gpus.filter { gpu in buffers.keys.contains { Self.lies($0, on: gpu.name) } }
        // An integrated GPU's buffers lie in the machine's memory.
        let discrete = used.filter { $0.type != GGML_BACKEND_DEVICE_TYPE_IGPU }.map(\.name)
        var sized = Sized(devices: discrete)
        sized.sharesMemory = used.count > discrete.count
        let compute = buffers.filter { name, _ in
            (name.hasSuffix(" compute") || name.hasSuffix(" output"))
                && !discrete.contains { Self.lies(name, on: $0) }
        }
        if !compute.isEmpty { sized.computeBytes = compute.values.reduce(0, &+) }
        sized.kvBytes = caches["kv"]
        sized.recurrentBytes = caches["recurrent"]
        if buffers.keys.contains(where: { $0.hasSuffix(" model") }) {
            sized.repacks = buffers.keys.contains { $0.hasPrefix("CPU_REPACK") }
        }
        return sized
    }
}
#endif
