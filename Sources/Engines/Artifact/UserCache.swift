import Glibc

/// The user's directory of files that only save time.
public enum UserCache {
    /// `${XDG_CACHE_HOME:-$HOME/.cache}/sustain`; nil where neither is set to an absolute path.
    public static var directory: String? { directory { getenv($0).map { String(cString: $0) } } }

    static func directory(environment: (String) -> String?) -> String? {
        if let base = environment("XDG_CACHE_HOME"), base.hasPrefix("/") { return base + "/sustain" }
        guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
        return home + "/.cache/sustain"
    }

    /// Makes the missing directories of a path, readable by their owner alone.
    public static func makeParents(of path: String) {
        var made = ""
        for part in path.split(separator: "/").dropLast() {
            made += "/" + part
            // What fails here fails again at open, which decides.
            _ = mkdir(made, 0o700)
        }
    }
}
