import Analysis
import CHost
import Glibc

/// The file that takes what a worker prints: nothing of it is part of the protocol.
final class WorkerLog {
    let path: String
    /// Open for appending, so that what several processes write never overlaps, and for reading the tail.
    private(set) var descriptor: Int32

    init(path: String) throws(Failure) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        if descriptor < 0 {
            let error = errno
            throw Failure(
                thing: path, cause: "cannot open the worker's log: \(systemErrorText(error))", errno: error,
                remedy: "check that the directory exists and is writable")
        }
    }

    deinit { close(descriptor) }

    /// The last bytes, at most `count` of them.
    func tail(_ count: Int) -> [UInt8] {
        guard let size = status()?.size, count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: min(count, size))
        var filled = 0
        while filled < bytes.count {
            let offset = size - bytes.count + filled
            let got = bytes[filled...].withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
            if got < 0 && errno == EINTR { continue }
            if got <= 0 { break }
            filled += got
        }
        return Array(bytes[..<filled])
    }

    /// Gives back the disk space of everything but the last `bytes` while the worker still writes, by a
    /// hole: offsets stay, so the worker notices nothing. Does nothing before the log is twice that long.
    /// - Returns: false when the file system cannot do it.
    func limitWhileOpen(to bytes: Int) -> Bool {
        guard let (size, stored) = status(), stored > 2 * bytes else { return true }
        return chost_free_beginning(descriptor, Int64(size - bytes)) == 0
    }

    /// Replaces the file by its last `bytes` bytes, from a line's beginning where one is near, below a line
    /// that says so.
    func trim(to bytes: Int) throws(Failure) {
        guard let size = status()?.size, size > bytes else { return }
        let kept = tail(bytes)
        let lineStart = kept.prefix(4096).firstIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let dropped = size - kept.count + lineStart
        let note = "[sustain: \(dropped) bytes before this line were dropped]\n"
        let draft = path + ".tmp"
        let copy = open(draft, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o644)
        guard copy >= 0 else { throw failure("shorten", errno) }
        guard Self.write(Array(note.utf8) + kept[lineStart...], to: copy), fsync(copy) == 0,
            rename(draft, path) == 0
        else {
            let error = errno
            close(copy)
            unlink(draft)
            throw failure("shorten", error)
        }
        close(descriptor)
        descriptor = copy
    }

    /// Length in bytes, and bytes that take room on the disk: fewer where the file has a hole.
    private func status() -> (size: Int, stored: Int)? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return (Int(status.st_size), Int(status.st_blocks) * 512)
    }

    private func failure(_ verb: String, _ error: Int32) -> Failure {
        Failure(
            thing: path, cause: "cannot \(verb) the worker's log: \(systemErrorText(error))", errno: error,
            remedy: "check the free space of the disk")
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}
