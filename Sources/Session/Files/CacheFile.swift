import Analysis
import Engines

/// Files that only save time: whoever cannot write one goes on without it.
public enum CacheFile {
    /// Where they are; nil where the environment names no place.
    public static var directory: String? { UserCache.directory }

    /// Replaces a file as a whole, so that a reader sees the old one or the new one and two writers at once leave
    /// that of one of them; makes its directory, readable by its owner alone.
    public static func replace(_ path: String, with bytes: [UInt8]) throws(Failure) {
        UserCache.makeParents(of: path)
        try AtomicFile.write(bytes, to: path)
    }
}
