import Glibc
import WorkerProtocol

/// The file that rows of numbers are written to, as they lie in memory: this program runs on little-endian machines.
final class RowFile {
    private let descriptor: Int32
    private let path: String

    /// Makes the file, or empties the one that is there.
    init(_ path: String) throws(WorkerFailure) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        self.path = path
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func append(_ row: UnsafeBufferPointer<Float>) throws(WorkerFailure) {
        var rest = UnsafeRawBufferPointer(row)[...]
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let written = write(descriptor, piece.baseAddress, piece.count)
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { throw Self.failure(path, errno) }
            rest = rest.dropFirst(written)
        }
    }

    private static func failure(_ path: String, _ error: Int32) -> WorkerFailure {
        WorkerFailure(path, "cannot be written: \(String(cString: strerror(error)))")
    }
}
