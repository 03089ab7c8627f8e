import Analysis
import Glibc

/// What identifies the contents of a file without reading them (stat(2)).
public struct FileIdentity: Sendable, Hashable {
    public let device: UInt64
    public let inode: UInt64
    public let sizeBytes: UInt64
    /// Last change of the contents, nanoseconds since 1970 by the file system's clock.
    public let modifiedNanoseconds: Int64
    /// Last change of the inode: it moves even when a program sets the other one back.
    public let changedNanoseconds: Int64

    init(_ info: stat) {
        device = UInt64(info.st_dev)
        inode = UInt64(info.st_ino)
        sizeBytes = UInt64(max(0, info.st_size))
        modifiedNanoseconds = Self.nanoseconds(info.st_mtim)
        changedNanoseconds = Self.nanoseconds(info.st_ctim)
    }

    /// Wraps for years past 2262: the value identifies, it is not calculated with.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

/// A regular file open for reading, closed with the object.
final class OpenFile: ByteSource {
    let path: String
    let descriptor: Int32
    let identity: FileIdentity

    var sizeBytes: UInt64 { identity.sizeBytes }

    /// Opens a regular file. Never blocks on a FIFO or wakes a device: the kind is looked at first, the
    /// descriptor is non-blocking, and the kind is looked at again behind it.
    init(_ path: String) throws(Failure) {
        guard !path.isEmpty else { throw ModelPath.empty }
        guard !path.utf8.contains(0) else { throw ModelPath.refusal(path, "the path contains a NUL byte") }
        var info = stat()
        guard stat(path, &info) == 0 else { throw ModelPath.failure(path, errno: errno) }
        if let refusal = ModelPath.refusalOfKind(path, mode: info.st_mode) { throw refusal }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw ModelPath.failure(path, errno: errno) }
        guard fstat(descriptor, &info) == 0 else {
            let code = errno
            close(descriptor)
            throw ModelPath.failure(path, errno: code)
        }
        if let refusal = ModelPath.refusalOfKind(path, mode: info.st_mode) {
            close(descriptor)
            throw refusal
        }
        self.path = path
        self.descriptor = descriptor
        self.identity = FileIdentity(info)
    }

    deinit { close(descriptor) }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        guard let position = off_t(exactly: offset) else { return 0 }
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, position)
            if count >= 0 { return count }
            if errno != EINTR {
                throw ModelPath.failure(path, errno: errno, doing: "reading at byte \(offset)")
            }
        }
    }

    /// Whether the file is still what it was when it was opened.
    func isUnchanged() throws(Failure) -> Bool {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw ModelPath.failure(path, errno: errno) }
        return FileIdentity(info) == identity
    }
}
