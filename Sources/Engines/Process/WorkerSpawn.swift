import Analysis
import CHost
import Glibc
import WorkerProtocol

extension WorkerProcess {
    /// Starts a worker and returns once its program runs.
    ///
    /// Call it from the thread that lives as long as the run: the worker dies with that thread.
    /// - Throws: a `Failure` with exit `.engineFailed` naming the step that failed.
    public static func spawn(_ launch: WorkerLaunch) throws(Failure) -> WorkerProcess {
        let log = try WorkerLog(path: launch.logPath)
        let pipes = try WorkerPipes(launch)
        let counters = OutOfMemoryCounters.read()
        let child = try start(launch, pipes: pipes, log: log)
        pipes.closeWorkerEnds()
        return WorkerProcess(launch, child, pipes: pipes, log: log, outOfMemoryBefore: counters)
    }

    private static func start(
        _ launch: WorkerLaunch, pipes: WorkerPipes, log: WorkerLog
    ) throws(Failure) -> chost_spawned {
        let arguments = [launch.executable] + launch.arguments
        let environment = workerEnvironment(launch.environment)
        if (arguments + environment + [launch.logPath]).contains(where: { $0.utf8.contains(0) }) {
            throw Failure(
                thing: launch.name, cause: "a zero byte in its arguments or its environment",
                exit: .engineFailed)
        }
        var child = chost_spawned()
        let result = withCStrings(arguments) { arguments in
            withCStrings(environment) { environment in
                launch.executable.withCString { path in
                    var request = chost_spawn_request(
                        path: path, arguments: arguments, environment: environment, log_fd: log.descriptor,
                        command_fd: pipes.workerCommandEnd, event_fd: pipes.workerEventEnd, no_core_dump: 1)
                    return chost_spawn(&request, &child)
                }
            }
        }
        guard result == 0 else { throw spawnFailure(launch, step: child.failed_step, error: -result) }
        return child
    }

    /// The worker's environment: the caller's, with the variables that the protocol fixes.
    static func workerEnvironment(_ environment: [String]) -> [String] {
        let fixed = ["SUSTAIN_COMMAND_FD=\(CHOST_COMMAND_FD)", "SUSTAIN_EVENT_FD=\(CHOST_EVENT_FD)"]
        var result = environment.filter {
            !$0.hasPrefix("SUSTAIN_COMMAND_FD=") && !$0.hasPrefix("SUSTAIN_EVENT_FD=")
        }
        // A crashing Swift worker must end at once: the runtime's backtracer would keep it, and the event
        // pipe, for as long as it likes.
        if !result.contains(where: { $0.hasPrefix("SWIFT_BACKTRACE=") }) {
            result.append("SWIFT_BACKTRACE=enable=no")
        }
        return result + fixed
    }

    private static func spawnFailure(_ launch: WorkerLaunch, step: chost_spawn_step, error: Int32) -> Failure
    {
        let remedy: String? =
            switch error {
            case ENOENT: "check the path; for a script, also the path after its #!"
            case EACCES: "make it executable (chmod +x), on a file system that allows it"
            case ENOEXEC: "it is no program of this machine; a script needs a #! line"
            case EAGAIN, ENOMEM, EMFILE, ENFILE:
                "end other programs or raise the limit (ulimit -u, ulimit -n)"
            case ENOSYS: "Linux 5.3 or later is needed"
            default: nil
            }
        let verb = String(cString: chost_spawn_step_text(step))
        return Failure(
            thing: launch.executable, cause: "cannot \(verb): \(systemErrorText(error))", errno: error,
            remedy: remedy, exit: .engineFailed)
    }

    /// Calls `body` with the strings as a C array that a null pointer ends.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let array = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
        for (index, string) in strings.enumerated() { array[index] = strdup(string) }
        array[strings.count] = nil
        defer {
            for index in strings.indices { free(array[index]) }
            array.deallocate()
        }
        return body(array)
    }
}

/// The two pipes of a worker; closes whatever end nobody has taken.
final class WorkerPipes {
    private(set) var workerCommandEnd: Int32 = -1
    private(set) var workerEventEnd: Int32 = -1
    private var commandEnd: Int32 = -1
    private var eventEnd: Int32 = -1

    init(_ launch: WorkerLaunch) throws(Failure) {
        var ends: [Int32] = [-1, -1]
        var result = chost_pipe(&ends)
        if result >= 0 { (workerCommandEnd, commandEnd) = (ends[0], ends[1]) }
        if result >= 0 { result = chost_pipe(&ends) }
        if result >= 0 { (eventEnd, workerEventEnd) = (ends[0], ends[1]) }
        if result >= 0 { result = chost_set_nonblocking(commandEnd) }
        if result >= 0 { result = chost_set_nonblocking(eventEnd) }
        if result < 0 {
            throw Failure(
                thing: launch.name, cause: "cannot make its pipes: \(systemErrorText(-result))",
                errno: -result,
                remedy: "raise the limit of open files (ulimit -n)", exit: .engineFailed)
        }
        // More room than the default 64 KiB; a user over the limit of pipe memory keeps the default.
        _ = chost_set_pipe_size(eventEnd, WorkerProcess.eventPipeBytes)
    }

    deinit {
        for end in [workerCommandEnd, workerEventEnd, commandEnd, eventEnd] where end >= 0 { close(end) }
    }

    /// The parent's copies of the worker's ends: while they are open, the end of the worker is not seen.
    func closeWorkerEnds() {
        close(workerCommandEnd)
        close(workerEventEnd)
        (workerCommandEnd, workerEventEnd) = (-1, -1)
    }

    func takeCommandEnd() -> Int32 {
        defer { commandEnd = -1 }
        return commandEnd
    }

    func takeEventEnd() -> Int32 {
        defer { eventEnd = -1 }
        return eventEnd
    }
}
