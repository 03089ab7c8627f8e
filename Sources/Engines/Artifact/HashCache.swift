import Analysis
import Glibc

/// Hashes of files that were read before, by what identifies their contents.
///
/// It only ever saves time: a cache that is missing, damaged or not writable is as good as an empty one.
/// Two processes may use it at once: the file is replaced as a whole, and an entry that one of them loses to
/// the other is computed again some day.
public struct HashCache: Sendable {
    /// Entries kept; the oldest go first.
    static let entryLimit = 1_000
    private static let fileLimit: UInt64 = 8 << 20

    /// Path of the cache file.
    public let path: String

    public init(path: String) { self.path = path }

    /// The user's cache, `${XDG_CACHE_HOME:-$HOME/.cache}/sustain/sha256.json`; nil where neither is set to
    /// an absolute path.
    public static func user() -> HashCache? { user { getenv($0).map { String(cString: $0) } } }

    static func user(environment: (String) -> String?) -> HashCache? {
        UserCache.directory(environment: environment).map { HashCache(path: $0 + "/sha256.json") }
    }

    /// The key of a model: device, inode, size and both times of each of its files.
    static func key(_ identities: [FileIdentity]) -> String {
        identities.map { identity in
            [
                String(identity.device), String(identity.inode), String(identity.sizeBytes),
                String(identity.modifiedNanoseconds), String(identity.changedNanoseconds),
            ].joined(separator: ":")
        }.joined(separator: "+")
    }

    private struct Contents: Codable {
        struct Entry: Codable {
            let key: String
            let sha256: String
        }

        static let currentSchema = "sustain.sha256/1"
        var schema = currentSchema
        /// Oldest first.
        var entries: [Entry] = []
    }

    func hash(for key: String) -> String? {
        guard let hash = load().entries.last(where: { $0.key == key })?.sha256 else { return nil }
        let isHash =
            hash.utf8.count == 64
            && hash.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        return isHash ? hash : nil
    }

    func store(_ hash: String, for key: String) {
        UserCache.makeParents(of: path)
        var contents = load()
        contents.entries.removeAll { $0.key == key }
        contents.entries.append(Contents.Entry(key: key, sha256: hash))
        contents.entries.removeFirst(max(0, contents.entries.count - Self.entryLimit))
        guard let bytes = try? CanonicalJSON.document(contents) else { return }
        replace(with: bytes)
    }

    private func load() -> Contents {
        guard let file = try? OpenFile(path), file.sizeBytes <= Self.fileLimit else { return Contents() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(file.sizeBytes), alignment: 1)
        defer { buffer.deallocate() }
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            guard let count = try? file.read(at: UInt64(filled), into: rest), count > 0 else { break }
            filled += count
        }
        let contents = try? CanonicalJSON.decode(Contents.self, from: buffer.prefix(filled))
        guard let contents, contents.schema == Contents.currentSchema else { return Contents() }
        return contents
    }

    /// Writes a file beside the cache and renames it over it, so that no reader ever sees half of it.
    private func replace(with bytes: [UInt8]) {
        let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0...UInt32.max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        var written = 0
        bytes.withUnsafeBytes { buffer in
            while written < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
                let count = write(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { break }
                written += count
            }
        }
        let synced = fsync(descriptor) == 0
        let closed = close(descriptor) == 0
        if written != bytes.count || !synced || !closed || rename(temporary, path) != 0 {
            unlink(temporary)
        }
    }
}
