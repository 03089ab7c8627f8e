import Analysis
import Glibc

/// Files that only save time: whoever cannot write one goes on without it.
public enum CacheFile {
    /// The user's cache of sustain, `${XDG_CACHE_HOME:-$HOME/.cache}/sustain`; nil where neither is set to an
    /// absolute path.
    public static var directory: String? {
        func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        return (variable("XDG_CACHE_HOME") ?? variable("HOME").map { $0 + "/.cache" }).map { $0 + "/sustain" }
    }

    /// Replaces a file as a whole, so that a reader sees the old one or the new one and two writers at once leave
    /// that of one of them; makes its directory, readable by its owner alone.
    public static func replace(_ path: String, with bytes: [UInt8]) throws(Failure) {
        var made = ""
        for part in path.split(separator: "/").dropLast() {
            made += "/" + part
            // What fails here fails again at open, which decides.
            _ = mkdir(made, 0o700)
        }
        try AtomicFile.write(bytes, to: path)
    }
}
