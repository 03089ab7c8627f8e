import Analysis
import Glibc

/// Whole files that are either the old one or the new one, also after a power cut.
enum AtomicFile {
    /// Writes beside the target, synchronizes, renames over it and synchronizes the directory.
    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let temporary = path + ".tmp-\(getpid())"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
        if descriptor < 0 { throw Failure.system(temporary, "cannot create the file") }
        do {
            try fill(descriptor, with: bytes, path: temporary)
        } catch {
            close(descriptor)
            unlink(temporary)
            throw error
        }
        if close(descriptor) != 0 || rename(temporary, path) != 0 {
            let failure = Failure.system(path, "cannot put the file in place")
            unlink(temporary)
            throw failure
        }
        synchronizeDirectory(of: path)
    }

    private static func fill(_ descriptor: Int32, with bytes: [UInt8], path: String) throws(Failure) {
        var written = 0
        while written < bytes.count {
            let result = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if result < 0 {
                if errno == EINTR { continue }
                throw Failure.system(path, "cannot write the file")
            }
            written += result
        }
        if fsync(descriptor) != 0 { throw Failure.system(path, "cannot synchronize the file") }
    }

    /// Some file systems refuse to synchronize a directory; the file itself is safe by then.
    private static func synchronizeDirectory(of path: String) {
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = open(parent.isEmpty ? "/" : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

/// Whole files read with a bound.
enum BoundedFile {
    /// - Parameters:
    ///   - limit: more bytes than this are a failure, not a larger buffer.
    ///   - remedy: of that failure.
    static func read(_ path: String, limit: Int, remedy: String? = nil) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(path, limit: limit, remedy: remedy) { (piece) throws(Failure) in bytes += piece }
        return bytes
    }

    /// Piece by piece, so that the whole is held by nobody.
    static func read(
        _ path: String, limit: Int, remedy: String? = nil, _ take: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0 { throw Failure.system(path, "cannot open the file") }
        defer { close(descriptor) }
        var total = 0
        var piece = [UInt8](repeating: 0, count: min(limit + 1, 1 << 20))
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure.system(path, "cannot read the file")
            }
            if count == 0 { return }
            total += count
            if total > limit {
                throw Failure(thing: path, cause: "larger than \(limit) bytes", remedy: remedy)
            }
            try take(Array(piece[..<count]))
        }
    }
}
