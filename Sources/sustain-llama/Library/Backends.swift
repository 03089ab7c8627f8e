#if Llama
import CLlama
import WorkerProtocol

/// The compute devices of this build of llama.cpp.
enum Backends {
    struct Device {
        let name: String
        let backend: String
        let pciID: String?
        let type: ggml_backend_dev_type

        var isGPU: Bool { type == GGML_BACKEND_DEVICE_TYPE_GPU || type == GGML_BACKEND_DEVICE_TYPE_IGPU }
    }

    /// Makes the devices known. Backends that are plugins are loaded from libggml's own directory only:
    /// the library's default also searches the current directory, where anyone may plant one.
    static func start() throws(WorkerFailure) {
        if ggml_backend_reg_count() == 0 {
            guard let directory = MappedLibraries.directory(of: "libggml.") else {
                throw noDevice("no backend is built in, and libggml's directory is unknown")
            }
            ggml_backend_load_all_from_path(directory)
            guard ggml_backend_reg_count() > 0 else {
                throw noDevice("no backend is built in, and \(directory) holds none that this CPU can run")
            }
        }
        llama_backend_init()
        guard ggml_backend_dev_count() > 0 else { throw noDevice("its backends found no device") }
        guard ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU) != nil else {
            throw noDevice("its CPU backend is missing")
        }
    }

    static func devices() -> [Device] {
        (0..<ggml_backend_dev_count()).compactMap { index in
            ggml_backend_dev_get(index).map(describe)
        }
    }

    static var version: String { String(cString: llama_version()) }

    /// llama_version() and what else the libraries say of their build. No registry is touched: see
    /// `MappedLibraries.onlyCPU`.
    static var buildText: String {
        "llama \(version), ggml \(String(cString: ggml_version())) "
            + "(\(String(cString: ggml_commit())))"
    }

    /// The instruction sets and options of the registered backends.
    static var systemInfo: String {
        var text = Substring(String(cString: llama_print_system_info()))
        while let last = text.last, last == " " || last == "|" { text.removeLast() }
        return String(text)
    }

    private static func describe(_ device: ggml_backend_dev_t) -> Device {
        // Filled through a pointer: a library with more properties must not write past ours.
        let id = withUnsafeTemporaryAllocation(
            byteCount: 4096, alignment: MemoryLayout<ggml_backend_dev_props>.alignment
        ) { room -> String? in
            room.initializeMemory(as: UInt8.self, repeating: 0)
            guard let base = room.baseAddress else { return nil }
            let properties = base.bindMemory(to: ggml_backend_dev_props.self, capacity: 1)
            ggml_backend_dev_get_props(device, properties)
            return properties.pointee.device_id.map { String(cString: $0) }
        }
        return Device(
            name: String(cString: ggml_backend_dev_name(device)),
            backend: String(cString: ggml_backend_reg_name(ggml_backend_dev_backend_reg(device))),
            pciID: id, type: ggml_backend_dev_type(device))
    }

    private static func noDevice(_ cause: String) -> WorkerFailure {
        WorkerFailure(
            "llama.cpp's compute devices",
            [cause, EngineLog.complaints].compactMap { $0 }
                .joined(separator: ": "),
            remedy: "keep the libggml-*.so backends beside libggml.so, or point --llama-lib at a whole build",
            code: ErrorCode.refused, fatal: true)
    }
}
#endif
