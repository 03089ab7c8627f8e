import Analysis
import Glibc
import WorkerProtocol

/// The directory of `--llama-lib`: the loader falls back to another library in silence when it holds none.
enum LlamaLibraries {
    /// Refuses a directory without a libllama.
    static func check(_ directory: String) throws(Failure) {
        let names = ["libllama.so", "libllama.so.0"]
        guard names.contains(where: { access(directory + "/" + $0, R_OK) == 0 }) else {
            throw Failure(
                thing: "--llama-lib \(directory)", cause: "holds no readable libllama.so",
                remedy: "name the directory that holds libllama.so and libggml*.so", exit: .usage)
        }
    }

    /// The path of the libllama in use when it is not the one of the directory; nil when it is.
    static func stranger(in hello: Hello, expected directory: String) -> String? {
        guard
            let used = hello.libraries.first(where: {
                $0.split(separator: "/").last?.hasPrefix("libllama") ?? false
            })
        else { return "none" }
        guard let place = canonical(directory), let path = canonical(used) else { return used }
        let expected = ["/libllama.so", "/libllama.so.0"].compactMap { canonical(place + $0) }
        return expected.contains(path) ? nil : used
    }

    private static func canonical(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
