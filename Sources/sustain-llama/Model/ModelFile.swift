import Glibc

/// What can be told of a model file without llama.cpp, whose log names neither errno nor kind.
enum ModelFile {
    /// - Throws: why no model can be loaded from the path.
    static func check(_ path: String) throws(WorkerFailure) {
        // A pipe without a writer must not hold the worker up.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path, String(cString: strerror(errno))) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw failure(path, "it is a directory")
        default: throw failure(path, "it is no regular file")
        }
        var magic: [UInt8] = [0, 0, 0, 0]
        let got = pread(descriptor, &magic, 4, 0)
        guard got >= 0 else { throw failure(path, String(cString: strerror(errno))) }
        guard got == 4, magic == Array("GGUF".utf8) else {
            throw failure(path, "it is no GGUF file: it does not begin with \"GGUF\"")
        }
    }

    private static func failure(_ path: String, _ cause: String) -> WorkerFailure {
        WorkerFailure(path, cause, remedy: "give --model the path of a GGUF file", code: ErrorCode.loadFailed)
    }
}
