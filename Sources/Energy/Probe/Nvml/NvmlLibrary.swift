import Analysis
import CPower

/// NVIDIA's management library, loaded and initialised.
///
/// It stays initialised until the process ends: without a client the driver may put the device away, and its
/// counter would begin anew in the middle of a run.
///
/// Unchecked Sendable: the library's functions may be called from any thread (NVML API Reference, "Thread
/// safety"), and what `raw` points to does not change once it is open.
struct NvmlLibrary: @unchecked Sendable {
    private let raw: OpaquePointer

    /// - Parameter path: a path, or a name that dlopen(3) searches.
    static func open(_ path: String) -> Result<NvmlLibrary, NvmlFailure> {
        var library: OpaquePointer?
        var text = [CChar](repeating: 0, count: 256)
        let code = cpower_nvml_open(path, &library, &text, text.count)
        if code == CPOWER_NVML_SUCCESS, let library { return .success(NvmlLibrary(raw: library)) }
        let words = boundedText(text)
        switch Int(code) {
        case CPOWER_NVML_LIBRARY_NOT_FOUND:
            // The loader's words name the file.
            return .failure(NvmlFailure(code: code, function: "dlopen", text: words))
        case CPOWER_NVML_FUNCTION_NOT_FOUND:
            return .failure(NvmlFailure(code: code, function: path, text: "has no \(words)"))
        default: return .failure(NvmlFailure(code: code, function: "nvmlInit_v2", text: words))
        }
    }

    func deviceCount() -> Result<Int, NvmlFailure> {
        var count: UInt32 = 0
        let code = cpower_nvml_count(raw, &count)
        return code == CPOWER_NVML_SUCCESS
            ? .success(Int(count)) : .failure(failure(code, "nvmlDeviceGetCount_v2"))
    }

    func device(_ index: Int) -> Result<NvmlDevice, NvmlFailure> {
        var device: UnsafeRawPointer?
        let code = cpower_nvml_device(raw, UInt32(clamping: index), &device)
        guard code == CPOWER_NVML_SUCCESS, let device else {
            return .failure(failure(code, "nvmlDeviceGetHandleByIndex_v2"))
        }
        return .success(NvmlDevice(library: self, raw: device))
    }

    func failure(_ code: Int32, _ function: String) -> NvmlFailure {
        var text = [CChar](repeating: 0, count: 256)
        cpower_nvml_error_text(raw, code, &text, text.count)
        return NvmlFailure(code: code, function: function, text: boundedText(text))
    }
}

/// The text of an array of C, up to its NUL.
private func boundedText(_ bytes: [CChar]) -> String {
    String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
