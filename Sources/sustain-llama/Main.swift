import CHost
import Glibc
import WorkerProtocol

/// The worker over libllama: one process, one model, one conversation with sustain.
@main
enum Main {
    static func main() {
        // A parent that is gone shows as EPIPE at the next write, not as a signal.
        signal(SIGPIPE, SIG_IGN)
        crashAtOnce()
        guard let commands = descriptor("SUSTAIN_COMMAND_FD"), let events = descriptor("SUSTAIN_EVENT_FD")
        else {
            StandardError.write(
                "sustain-llama is started by sustain: SUSTAIN_COMMAND_FD and SUSTAIN_EVENT_FD must name "
                    + "open descriptors\n")
            exit(ExitCode.usage)
        }
        let channel = EventChannel(descriptor: events)
        #if Llama
        var conversation = Conversation(commands: CommandReader(descriptor: commands), channel: channel)
        conversation.run()
        #else
        _ = commands
        channel.send(.error(builtWithoutLlama))
        exit(ExitCode.engine)
        #endif
    }

    #if !Llama
    private static let builtWithoutLlama = WorkerError(
        thing: "llama engine", cause: "this sustain was built without llama.cpp",
        remedy: "run scripts/bootstrap to build llama.cpp and sustain with it, or give scripts/bootstrap "
            + "--llama-prefix DIR for a llama.cpp that is installed already",
        code: ErrorCode.refused, fatal: true)
    #endif

    /// Leaves a crash to the kernel: the parent's record needs the signal at once. Swift's handlers would
    /// hold it up by a backtrace, ggml's by a debugger forked onto this process. (ggml.c,
    /// ggml_print_backtrace)
    private static func crashAtOnce() {
        for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
        setenv("GGML_NO_BACKTRACE", "1", 0)
    }

    /// The open descriptor that an environment variable names.
    private static func descriptor(_ name: String) -> Int32? {
        guard let text = getenv(name), let number = Int32(String(cString: text)), number >= 0,
            fcntl(number, F_GETFD) != -1
        else { return nil }
        return number
    }
}

/// How the process ends; sustain reads the reason from the last event and the log.
enum ExitCode {
    static let done: Int32 = 0
    static let usage: Int32 = 2
    static let engine: Int32 = 5
}
