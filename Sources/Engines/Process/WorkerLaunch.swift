import Analysis
import Glibc

/// What to start as a worker.
public struct WorkerLaunch: Sendable, Hashable {
    /// Path of the program; PATH is not searched (see `WorkerLocator`).
    public var executable: String
    /// Arguments after the program's name.
    public var arguments: [String]
    /// The worker's whole environment as `KEY=VALUE`. The two descriptor variables of the protocol are added.
    public var environment: [String]
    /// Takes the worker's standard output and standard error; made when missing, appended to otherwise.
    public var logPath: String

    public init(executable: String, arguments: [String] = [], environment: [String], logPath: String) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
        self.logPath = logPath
    }

    /// The last component of the executable's path: the worker's name in messages.
    public var name: String { executable.split(separator: "/").last.map(String.init) ?? executable }

    /// The environment of this process as `KEY=VALUE`, to pass on or to build one from.
    public static func inheritedEnvironment() -> [String] {
        var entries: [String] = []
        var cursor = environ
        while let entry = cursor.pointee {
            entries.append(String(cString: entry))
            cursor += 1
        }
        return entries
    }
}

/// How somebody says that it takes too long: a second Ctrl-C.
public struct Hurry {
    /// Readable when there may be something to `take`.
    public var descriptor: Int32
    /// Takes what is there; true for what means that the rest of the ladder's patience is over.
    public var take: () -> Bool

    public init(descriptor: Int32, take: @escaping () -> Bool) {
        self.descriptor = descriptor
        self.take = take
    }
}

/// How long each rung of the teardown ladder waits for the worker's end.
public struct TeardownPatience: Sendable, Hashable {
    /// After the `quit` command and the end of the command pipe.
    public var quit: Nanoseconds
    /// After SIGTERM to the worker's process group.
    public var terminate: Nanoseconds
    /// After SIGKILL to the group; a process stuck in the kernel outlives even that.
    public var kill: Nanoseconds

    public init(
        quit: Nanoseconds = Nanoseconds(Seconds(5)), terminate: Nanoseconds = Nanoseconds(Seconds(2)),
        kill: Nanoseconds = Nanoseconds(Seconds(5))
    ) {
        self.quit = quit
        self.terminate = terminate
        self.kill = kill
    }
}
