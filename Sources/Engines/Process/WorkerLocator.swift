import Analysis
import Glibc

/// Finds a worker's executable by its name.
public struct WorkerLocator: Sendable, Hashable {
    /// Where to look, in this order.
    public var directories: [String]
    /// What to do when it is in none of them.
    public var remedy: String

    public init(directories: [String], remedy: String) {
        self.directories = directories
        self.remedy = remedy
    }

    /// For the workers that come with sustain: `SUSTAIN_LIBEXEC`, the directory of the running program, and
    /// `../libexec/sustain` as seen from there.
    /// - Parameters:
    ///   - libexec: Value of `SUSTAIN_LIBEXEC`, nil or empty when it is not set.
    ///   - program: Path of the running program; nil when /proc is not mounted.
    public static func bundled(
        libexec: String? = environmentValue("SUSTAIN_LIBEXEC"), program: String? = runningProgram()
    ) -> WorkerLocator {
        var directories: [String] = []
        if let libexec, !libexec.isEmpty { directories.append(libexec) }
        if let program, let slash = program.lastIndex(of: "/") {
            let here = String(program[..<slash])
            directories += [here.isEmpty ? "/" : here, here + "/../libexec/sustain"]
        }
        return WorkerLocator(
            directories: directories,
            remedy: "build or install it, or name its directory in SUSTAIN_LIBEXEC")
    }

    /// For a program of the user's: the directories of `PATH`.
    public static func inPath(_ path: String? = environmentValue("PATH")) -> WorkerLocator {
        WorkerLocator(
            directories: (path ?? "").split(separator: ":").map(String.init),
            remedy: "give its path, with a slash in it")
    }

    /// The path of an executable regular file. A name with a slash is a path already and is only checked.
    public func find(_ name: String) throws(Failure) -> String {
        let candidates = name.contains("/") ? [name] : directories.map { $0 + "/" + name }
        var seen: [String] = []
        for candidate in candidates {
            guard let problem = Self.problem(candidate) else { return candidate }
            seen.append("\(candidate) (\(problem))")
        }
        let cause =
            seen.isEmpty ? "nowhere to look for it" : "no worker there: " + seen.joined(separator: ", ")
        throw Failure(thing: name, cause: cause, remedy: remedy, exit: .engineFailed)
    }

    /// Why a path cannot be executed, or nil when it can.
    private static func problem(_ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return systemErrorText(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { return "not a regular file" }
        return access(path, X_OK) == 0 ? nil : systemErrorText(errno)
    }

    /// A variable of this process's environment.
    public static func environmentValue(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        return String(cString: value)
    }

    /// Path of the running program, as the kernel knows it (proc_pid_exe(5)).
    public static func runningProgram() -> String? {
        var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &characters, characters.count)
        guard length > 0 else { return nil }
        return String(decoding: characters[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
