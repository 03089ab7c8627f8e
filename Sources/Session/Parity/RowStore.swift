import Analysis
import Glibc

/// A directory for files of logits, removed with this object. Nobody else can look into it.
///
/// Engines get paths into it and may leave anything there, or in its place. So nothing here goes by its path: the
/// directory is held open, and its name is given to an engine only while it leads to that directory. Its lock tells
/// later sessions that it is in use.
final class RowStore {
    let directory: String
    private let parent: OpenDirectory
    private let own: OpenDirectory
    private let name: String
    private var files: Set<String> = []

    private static let prefix = ".parity-"

    /// - Parameter place: best on a disk: in a file system of memory the rows take memory.
    init(in place: String) throws(Failure) {
        func failure() -> Failure { .system(place, "cannot hold a directory of logits") }
        guard let parent = OpenDirectory(place) else { throw failure() }
        for _ in 0..<16 {
            let name = Self.prefix + RunDirectory.randomHex()
            if mkdirat(parent.descriptor, name, 0o700) != 0 {
                if errno == EEXIST { continue }
                throw failure()
            }
            guard let own = OpenDirectory(name, in: parent) else {
                // Another session has taken it for one that nobody uses.
                if errno == ENOENT { continue }
                throw failure()
            }
            // Between the two calls another session may have taken it for one that nobody uses.
            if own.lock() == .held || !own.isNamed(name, in: parent) { continue }
            (self.parent, self.own, self.name) = (parent, own, name)
            directory = place + "/" + name
            return
        }
        throw Failure(thing: place, cause: "no free name for a directory of logits was found in 16 tries")
    }

    deinit {
        for file in files { own.remove(file) }
        if own.isNamed(name, in: parent) { _ = parent.removeDirectory(name) }
    }

    /// A path for an engine to write to; a file that is there is removed, so that what is read later is new.
    ///
    /// - Throws: a problem where an engine has put something else in the directory's place.
    func path(_ file: String) throws(EngineProblem) -> String {
        guard own.isNamed(name, in: parent) else { throw EngineProblem(cause: replaced) }
        files.insert(file)
        own.remove(file)
        return directory + "/" + file
    }

    func remove(_ file: String) { own.remove(file) }

    private var replaced: String { "\(directory) is no longer the directory that was made for the logits" }

    /// The rows of a file, or why there are none: it has to be exactly as large as they are.
    func rows(_ file: String, positions: Int, vocabulary: Int) -> Result<[Float], Unavailable> {
        let descriptor = openat(own.descriptor, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            let why = String(cString: strerror(errno))
            return .failure(Unavailable(own.isNamed(name, in: parent) ? why : replaced))
        }
        defer { close(descriptor) }
        let count = positions * vocabulary
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .failure(Unavailable("no regular file"))
        }
        let bytes = count * MemoryLayout<Float>.size
        guard Int(status.st_size) == bytes else {
            return .failure(Unavailable("\(status.st_size) bytes instead of \(bytes)"))
        }
        var isWhole = false
        let rows = [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
            isWhole = Self.fill(UnsafeMutableRawBufferPointer(buffer), from: descriptor)
            initialized = isWhole ? count : 0
        }
        return isWhole ? .success(rows) : .failure(Unavailable("reading the file failed"))
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
        guard fstatvfs(own.descriptor, &status) == 0 else { return nil }
        return UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue
    }
}

extension RowStore {
    /// What every file of rows is called by its end.
    static let ending = ".f32"

    /// Removes the directories of logits that sessions have left which were killed.
    ///
    /// A directory is touched only if it has such a name in a directory below `output`, is this user's and closed to
    /// others, and its lock is free, so that the session that made it has ended. No link is followed, only files of
    /// rows are removed, and a directory that holds anything else stays.
    ///
    /// - Returns: the paths of those that are gone.
    static func removeLeftovers(below output: String) -> [String] {
        guard let place = OpenDirectory(output) else { return [] }
        return place.names.sorted().flatMap { session -> [String] in
            guard let inner = OpenDirectory(session, in: place) else { return [] }
            return inner.names.filter { isName($0) && removeLeftover($0, in: inner) }.map {
                "\(output)/\(session)/\($0)"
            }
        }
    }

    private static func isName(_ name: String) -> Bool {
        name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 6
    }

    private static func removeLeftover(_ name: String, in parent: OpenDirectory) -> Bool {
        guard let own = OpenDirectory(name, in: parent), own.isPrivate, own.lock() == .ours,
            own.isNamed(name, in: parent)
        else { return false }
        for file in own.names where file.hasSuffix(ending) { own.remove(file) }
        return parent.removeDirectory(name)
    }
}
