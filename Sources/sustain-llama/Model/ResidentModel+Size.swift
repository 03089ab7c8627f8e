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
            let sized = EngineLog.facts.sized(devices: Backends.devices().filter(\.isGPU).map(\.name))
            resident.free()
            return sized
        } catch {
            llama_model_free(model)
            throw error
        }
    }
}

extension LogFacts {
    /// - Parameter devices: names of the GPUs; those on which a buffer of the load would lie are in use.
    fileprivate func sized(devices: [String]) -> Sized {
        let names = buffers.keys
        func isOn(_ device: String, _ buffer: String) -> Bool {
            // "CUDA1" is not "CUDA10".
            buffer.hasPrefix(device) && buffer.dropFirst(device.count).first?.isNumber != true
        }
        var sized = Sized(devices: devices.filter { device in names.contains { isOn(device, $0) } })
        let onHost = buffers.filter { buffer in !devices.contains { isOn($0, buffer.key) } }
        let compute = onHost.filter { $0.key.hasSuffix(" compute") || $0.key.hasSuffix(" output") }
        if !compute.isEmpty { sized.computeBytes = compute.values.reduce(0, &+) }
        sized.kvBytes = caches["kv"]
        sized.recurrentBytes = caches["recurrent"]
        if names.contains(where: { $0.hasSuffix(" model") }) {
            sized.repacks = names.contains { $0.hasPrefix("CPU_REPACK") }
        }
        return sized
    }
}
#endif
