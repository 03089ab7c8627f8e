import Analysis
import CHost
import Glibc

/// SHA-256 of a model, so that two results can be known to be of the same bytes.
public enum ArtifactHash {
    /// Names of OpenSSL's library, newest first.
    static let libraries = ["libcrypto.so.3", "libcrypto.so.1.1"]
    private static let pieceBytes = 1 << 20
    /// A file changed this shortly ago may change again within one tick of its file system's clock.
    private static let settledNanoseconds: Int64 = 2_000_000_000

    /// The hash in hexadecimal: what `cat PART... | sha256sum` prints for the model's files in order.
    ///
    /// Reads through the page cache, 1 MiB at a time (40 GB take about half a minute where the disk keeps up).
    ///
    /// - Parameters:
    ///   - file: The model, as inspected.
    ///   - cache: Hashes of files known from earlier; nil to read the file in any case.
    ///   - shouldContinue: Called before each piece with the bytes hashed so far; false ends the work.
    /// - Returns: `unavailable` where the machine has no libcrypto.
    /// - Throws: `.interrupted` when told to stop; `.failed` when a file cannot be read or has changed.
    public static func sha256(
        of file: ModelFile, cache: HashCache?, shouldContinue: (UInt64) -> Bool = { _ in true }
    ) throws(Failure) -> Maybe<String> {
        let key = HashCache.key(file.parts.map(\.identity))
        if let known = cache?.hash(for: key) { return .known(known) }
        let hash = try sha256(file.parts, libraries: libraries, shouldContinue: shouldContinue)
        if let digest = hash.value, file.parts.allSatisfy({ isSettled($0.identity) }) {
            cache?.store(digest, for: key)
        }
        return hash
    }

    /// The hash of a model that was computed earlier; nil where nobody has.
    public static func known(of file: ModelFile, cache: HashCache) -> String? {
        cache.hash(for: HashCache.key(file.parts.map(\.identity)))
    }

    /// The hash of any one file, such as an engine's shared library; what goes wrong is the reason.
    ///
    /// - Parameter shouldContinue: asked between pieces; once it says no, the hash is unavailable.
    public static func sha256(
        ofFile path: String, cache: HashCache?, shouldContinue: () -> Bool = { true }
    ) -> Maybe<String> {
        do {
            let part = ModelFile.Part(path: path, identity: try OpenFile(path).identity)
            let key = HashCache.key([part.identity])
            if let known = cache?.hash(for: key) { return .known(known) }
            let hash = try sha256([part], libraries: libraries, shouldContinue: { _ in shouldContinue() })
            if let digest = hash.value, isSettled(part.identity) { cache?.store(digest, for: key) }
            return hash
        } catch {
            return .unavailable("\(error.thing): \(error.cause)")
        }
    }

    /// The hash by the first of `libraries` that can be loaded.
    static func sha256(
        _ parts: [ModelFile.Part], libraries: [String], shouldContinue: (UInt64) -> Bool
    ) throws(Failure) -> Maybe<String> {
        let running: RunningHash
        switch RunningHash.start(libraries) {
        case .failure(let why): return .unavailable(why)
        case .success(let started): running = started
        }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 4096)
        defer { piece.deallocate() }
        var done: UInt64 = 0
        for part in parts {
            let file = try OpenFile(part.path)
            guard file.identity == part.identity else { throw changed(part.path) }
            // A hint: without it the hash is the same, only slower.
            _ = chost_pages_sequential(file.descriptor)
            var offset: UInt64 = 0
            while offset < file.sizeBytes {
                guard shouldContinue(done) else { throw stopped(part.path) }
                let count = try file.read(at: offset, into: piece)
                guard count > 0 else { throw changed(part.path) }
                guard running.add(UnsafeRawBufferPointer(rebasing: piece.prefix(count))) else {
                    return .unavailable("libcrypto failed while hashing")
                }
                offset += UInt64(count)
                done += UInt64(count)
            }
            guard try file.isUnchanged() else { throw changed(part.path) }
        }
        return Maybe(running.finish(), else: "libcrypto failed while hashing")
    }

    private static func changed(_ path: String) -> Failure {
        Failure(
            thing: path, cause: "changed while it was being read",
            remedy: "Wait until the download or conversion has ended, then start again.")
    }

    private static func stopped(_ path: String) -> Failure {
        Failure(thing: path, cause: "interrupted while its SHA-256 was computed", exit: .interrupted)
    }

    private static func isSettled(_ identity: FileIdentity) -> Bool {
        var now = timespec()
        guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { return false }
        let nanoseconds = Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
        let latest = max(identity.modifiedNanoseconds, identity.changedNanoseconds)
        return nanoseconds &- latest > settledNanoseconds
    }
}

/// A SHA-256 under way in libcrypto.
private final class RunningHash {
    private let hash: OpaquePointer

    private init(_ hash: OpaquePointer) { self.hash = hash }

    deinit { chost_sha256_free(hash) }

    /// Starts one with the first library that works, or says why none does and what helps.
    static func start(_ libraries: [String]) -> Result<RunningHash, Unavailable> {
        var reasons: [String] = []
        for library in libraries {
            var why = [CChar](repeating: 0, count: 256)
            if let hash = chost_sha256_new(library, &why, why.count) { return .success(RunningHash(hash)) }
            reasons.append(
                String(decoding: why.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        let reason = reasons.first ?? "no library named"
        return .failure(Unavailable("no libcrypto (\(reason)); install OpenSSL 3: apt-get install libssl3"))
    }

    func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        chost_sha256_update(hash, bytes.baseAddress, bytes.count) == 0
    }

    func finish() -> String? {
        var digest = [UInt8](repeating: 0, count: 32)
        guard chost_sha256_final(hash, &digest) == 0 else { return nil }
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
