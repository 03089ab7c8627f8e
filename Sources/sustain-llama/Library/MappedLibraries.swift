import Glibc

/// The files that hold the engine's code, as the kernel has them mapped.
enum MappedLibraries {
    /// Paths of the mapped libllama and libggml files, each once; the worker itself when llama.cpp was
    /// linked into it. Source: /proc/self/maps, sixth column (proc_pid_maps(5)).
    static func paths() -> [String] {
        var found: [String] = []
        for line in (SmallFile.text("/proc/self/maps") ?? "").split(separator: "\n") {
            // The path is the rest of the line: it may hold spaces.
            guard let start = line.firstIndex(of: "/") else { continue }
            let path = String(line[start...])
            let name = path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...]
            guard name.hasPrefix("libllama") || name.hasPrefix("libggml"), !found.contains(path) else {
                continue
            }
            found.append(path)
        }
        return found.isEmpty ? [ownPath].compactMap { $0 } : found
    }

    /// The worker's own file: "/proc/self" would be another process to whoever reads it in `hello`.
    private static var ownPath: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { path in
            path.initialize(repeating: 0)
            guard let start = path.baseAddress, readlink("/proc/self/exe", start, path.count - 1) > 0 else {
                return nil
            }
            return String(cString: start)
        }
    }

    /// The directory of a mapped library, by the beginning of its file name.
    static func directory(of prefix: String) -> String? {
        for path in paths() {
            guard let slash = path.lastIndex(of: "/") else { continue }
            if path[path.index(after: slash)...].hasPrefix(prefix) { return String(path[..<slash]) }
        }
        return nil
    }

    /// True when every engine library is one that makes no thread before it is asked to compute: a GPU
    /// backend's registry asks its driver for devices, and drivers start threads.
    static func onlyCPU() -> Bool {
        let quiet = ["libllama.", "libggml.", "libggml-base.", "libggml-cpu."]
        return paths().allSatisfy { path in
            let name = path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...]
            return quiet.contains { name.hasPrefix($0) }
        }
    }
}
