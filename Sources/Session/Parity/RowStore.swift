import Analysis
import Glibc

/// A directory for files of logits, removed with this object. Nobody else can look into it.
final class RowStore {
    let directory: String
    private var names: Set<String> = []

    /// - Parameter parent: best on a disk: in a file system of memory the rows take memory.
    init(in parent: String) throws(Failure) {
        var template = Array((parent + "/.parity-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure.system(parent, "cannot hold a directory of logits")
        }
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in names { unlink(directory + "/" + name) }
        rmdir(directory)
    }

    /// A path for an engine to write to; a file that is there is removed, so that what is read later is new.
    func path(_ name: String) -> String {
        names.insert(name)
        let path = directory + "/" + name
        unlink(path)
        return path
    }

    func remove(_ name: String) { unlink(directory + "/" + name) }

    /// The rows of a file; nil where it is not exactly as large as they are, or no file at all.
    func rows(_ name: String, positions: Int, vocabulary: Int) -> [Float]? {
        let descriptor = open(directory + "/" + name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let count = positions * vocabulary
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            Int(status.st_size) == count * MemoryLayout<Float>.size
        else { return nil }
        var isWhole = false
        let rows = [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
            isWhole = Self.fill(UnsafeMutableRawBufferPointer(buffer), from: descriptor)
            initialized = isWhole ? count : 0
        }
        return isWhole ? rows : nil
    }

    private static func fill(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> Bool {
        var filled = 0
        while filled < buffer.count {
            let got = pread(
                descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, off_t(filled))
            if got < 0 && errno == EINTR { continue }
            guard got > 0 else { return false }
            filled += got
        }
        return true
    }

    /// Bytes that may still be written here; nil where the file system does not tell.
    var freeBytes: UInt64? {
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else { return nil }
        return UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue
    }
}
