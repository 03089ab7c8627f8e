/// Tells from llama.cpp's words whether memory was the reason of a failure: it returns no code for it.
enum MemoryShortage {
    // ggml-backend.cpp, ggml-cuda.cu, llama-model.cpp, llama-kv-cache.cpp, libstdc++.
    private static let phrases = [
        "out of memory", "failed to allocate", "unable to allocate", "allocation failed", "bad_alloc",
        "insufficient memory", "cannot allocate memory", "cudamalloc failed", "hipmalloc failed",
        "erroroutofdevicememory",
    ]

    /// The class of the failure, nil when memory was not the reason.
    /// - Parameter devices: names of the GPU devices; a text that names one speaks of its memory.
    static func code(in text: String, devices: [String]) -> String? {
        let lowered = text.lowercased()
        guard phrases.contains(where: { lowered.contains($0) }) else { return nil }
        let onDevice = (devices.map { $0.lowercased() } + ["cuda", "hipmalloc", "erroroutofdevicememory"])
            .contains { lowered.contains($0) }
        return onDevice ? ErrorCode.deviceOutOfMemory : ErrorCode.outOfMemory
    }
}
