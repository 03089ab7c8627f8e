import Analysis
import Glibc

/// Appends lines to a run's trace. The run thread is its only user.
///
/// Lines collect in a buffer and reach the file once a second (`flushIfDue`), so that a killed run loses at
/// most that much, and at once when the buffer is large. Nothing is ever rewritten: whatever happens, the
/// file is a valid trace up to its last complete line.
final class TraceWriter {
    private let descriptor: Int32
    private let path: String
    private var buffer: [UInt8] = []
    private var lastFlush = Instant(nanoseconds: 0)
    private(set) var bytesWritten = 0
    private static let largeBuffer = 1 << 16

    /// Creates the file; an existing one is never touched.
    convenience init(path: String) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0o644)
        if descriptor < 0 { throw Failure.system(path, "cannot create the trace") }
        self.init(descriptor: descriptor, path: path)
    }

    /// Takes over an open descriptor.
    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
        buffer.reserveCapacity(2 * Self.largeBuffer)
    }

    deinit { close(descriptor) }

    func append(_ line: TraceLine) throws(Failure) {
        try line.append(to: &buffer)
        if buffer.count >= Self.largeBuffer { try flush() }
    }

    /// Writes the buffer out if a second has passed since the last time.
    func flushIfDue(now: Instant) throws(Failure) {
        guard now - lastFlush >= Nanoseconds(1_000_000_000) else { return }
        lastFlush = now
        try flush()
    }

    func flush() throws(Failure) {
        var written = 0
        // What could not be written stays: a later flush, after space was freed, goes on at the same byte.
        defer {
            buffer.removeFirst(written)
            bytesWritten += written
        }
        while written < buffer.count {
            let result = buffer.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if result < 0 {
                if errno == EINTR { continue }
                throw Failure.system(
                    path, "cannot write the trace",
                    remedy: "what was written until now can be analysed: sustain analyze \(path)")
            }
            written += result
        }
    }

    /// Makes what was written survive a power cut. It can block on a slow disk: outside timed windows only.
    func synchronize() throws(Failure) {
        try flush()
        if fdatasync(descriptor) != 0 { throw Failure.system(path, "cannot synchronize the trace") }
    }
}

extension Failure {
    /// A failure of the system call just made: takes `errno` as it stands.
    static func system(
        _ thing: String, _ cause: String, remedy: String? = nil, exit: ExitCode = .failed
    ) -> Failure {
        let code = Glibc.errno
        return Failure(
            thing: thing, cause: "\(cause): \(String(cString: strerror(code)))", errno: code, remedy: remedy,
            exit: exit)
    }
}
