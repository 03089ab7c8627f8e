import CHost
import Glibc

/// How the engine's libraries were built, as far as their files tell: llama.cpp has no call for it.
enum LibraryBuild {
    /// "debug" for a debug build of this worker; "assertions" where llama.cpp was compiled without NDEBUG, as every
    /// build type but CMake's release ones does it (llama-bench warns of it too); else "release". Nil when no file
    /// of it can be read.
    static var type: String? {
        if String(cString: chost_build_type()) == "debug" { return "debug" }
        // The C library's function behind assert(3): a reference to it is in the file's symbol names.
        let found = libraries.map { text(in: $0, from: "__assert_fail") }
        guard found.contains(where: { $0 != nil }) else { return nil }
        return found.contains { $0?.isEmpty == false } ? "assertions" : "release"
    }

    /// What the compiler left in libllama's `.comment`: "GCC: (Debian 12.2.0-14) 12.2.0"; "" where it left nothing.
    static var compiler: String {
        guard let library = libraries.first else { return "" }
        for start in ["GCC: (", "clang version "] {
            if let text = text(in: library, from: start), !text.isEmpty { return text }
        }
        return ""
    }

    /// Backends for GPUs are left out: they carry code of their vendors.
    private static var libraries: [String] {
        MappedLibraries.paths().filter { path in
            let name = path.split(separator: "/").last ?? ""
            return ["libllama.", "libggml-base.", "libggml-cpu"].contains { name.hasPrefix($0) }
        }
    }

    /// The printable text from `start` on, "" where the file does not hold it; nil when it cannot be read.
    private static func text(in path: String, from start: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { room in
            room.initialize(repeating: 0)
            guard let base = room.baseAddress, chost_file_text(path, start, base, room.count) >= 0 else {
                return nil
            }
            return String(cString: base)
        }
    }
}
