import Analysis
import CHost
import Glibc

/// A command of the user's: started without a shell, with everything of the caller's.
struct UserCommand {
    let pid: Int32
    /// Readable once it has ended.
    let descriptor: Int32
    let started: Instant

    /// How it ended.
    struct End {
        /// The exit status, or 128 and the number of the signal.
        let code: Int
        let user: Nanoseconds
        let system: Nanoseconds
    }

    /// Whether there is such a program, so that nobody waits for an idle window to learn that there is none.
    ///
    /// - Throws: exit 127 where there is none, 126 where it cannot be executed.
    static func check(_ name: Argument) throws(Failure) {
        var last = ENOENT
        for path in candidates(name) {
            var status = stat()
            if path.withCString({ stat($0, &status) }) != 0 {
                if errno == EACCES { last = EACCES }
                continue
            }
            let isFile = status.st_mode & S_IFMT == S_IFREG
            if isFile, path.withCString({ access($0, X_OK) }) == 0 { return }
            last = EACCES
        }
        throw failure(name, code: last)
    }

    private static let slash = UInt8(ascii: "/")

    /// Where execvp(3) would look.
    private static func candidates(_ name: Argument) -> [Argument] {
        if name.bytes.contains(slash) { return [name] }
        let path = getenv("PATH").map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        return (path ?? Array("/bin:/usr/bin".utf8)).split(
            separator: UInt8(ascii: ":"), omittingEmptySubsequences: false
        ).map { Argument(bytes: $0.isEmpty ? name.bytes : $0 + [slash] + name.bytes) }
    }

    /// Starts argv.
    ///
    /// - Parameter joinsOutput: its standard output becomes its standard error.
    static func start(_ words: [Argument], joinsOutput: Bool) throws(Failure) -> UserCommand {
        guard let name = words.first, !words.contains(where: { $0.bytes.contains(0) }) else {
            throw Failure(thing: "command", cause: "is empty or holds a zero byte", exit: .usage)
        }
        var made = chost_command()
        let arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: words.count + 1)
        for (index, word) in words.enumerated() { arguments[index] = word.withCString { strdup($0) } }
        arguments[words.count] = nil
        defer {
            for index in words.indices { free(arguments[index]) }
            arguments.deallocate()
        }
        let result = name.withCString { name in
            var request = chost_command_request(
                name: name, arguments: arguments, environment: environ,
                output_fd: joinsOutput ? STDERR_FILENO : -1)
            return chost_command_start(&request, &made)
        }
        if result < 0 { throw failure(name, code: -result) }
        return UserCommand(
            pid: made.pid, descriptor: made.pidfd, started: Instant(nanoseconds: made.started_ns))
    }

    /// How it ended; nil while it runs. Takes it out of the process table and closes the descriptor.
    func end() throws(Failure) -> End? {
        var end = chost_end()
        let result = chost_wait(descriptor, 1, &end)
        if result == 0 { return nil }
        close(descriptor)
        if result < 0 {
            throw Failure.of(code: result, "command", "how it ended is lost", exit: .measureFailed)
        }
        return End(
            code: end.signal == 0 ? Int(end.status) : 128 + Int(end.signal),
            user: Nanoseconds(end.user_ns), system: Nanoseconds(end.system_ns))
    }

    /// As env(1) tells them: 127 for a program that is not there, 126 for one that cannot be executed, 125 for
    /// the rest.
    private static func failure(_ word: Argument, code: Int32) -> Failure {
        let name = word.text
        let text = String(cString: strerror(code))
        switch code {
        case ENOENT:
            return Failure(
                thing: name, cause: "cannot be started: \(text)", errno: code,
                remedy: name.contains("/")
                    ? "check the path; for a script, also the path after its #!"
                    : "check the name and PATH", exit: .notFound)
        case EACCES, ENOEXEC, EPERM, ENOTDIR, EISDIR, ELOOP, ETXTBSY, ELIBBAD, E2BIG, EINVAL, ENAMETOOLONG:
            return Failure(
                thing: name, cause: "cannot be executed: \(text)", errno: code,
                remedy: code == ENOEXEC
                    ? "it is no program of this machine; a script needs a #! line" : nil,
                exit: .notExecutable)
        default:
            return Failure(
                thing: name, cause: "cannot be started: \(text)", errno: code, exit: .measureFailed)
        }
    }
}
