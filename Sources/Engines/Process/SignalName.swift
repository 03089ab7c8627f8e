import Glibc

/// Signals as people read them.
enum SignalName {
    /// "SIGSEGV (segmentation fault)", or "signal 40" for one without a name.
    static func text(_ number: Int32) -> String {
        guard let entry = names[number] else { return "signal \(number)" }
        return "\(entry.name) (\(entry.meaning))"
    }

    /// True for a signal that a program's own fault raises (signal(7), default action "core").
    static func isCrash(_ number: Int32) -> Bool { names[number]?.isCrash ?? false }

    private static let names: [Int32: (name: String, meaning: String, isCrash: Bool)] = [
        SIGHUP: ("SIGHUP", "hang-up", false),
        SIGINT: ("SIGINT", "interrupt", false),
        SIGQUIT: ("SIGQUIT", "quit", false),
        SIGILL: ("SIGILL", "illegal instruction", true),
        SIGTRAP: ("SIGTRAP", "trap", true),
        SIGABRT: ("SIGABRT", "aborted", true),
        SIGBUS: ("SIGBUS", "bus error", true),
        SIGFPE: ("SIGFPE", "arithmetic fault", true),
        SIGKILL: ("SIGKILL", "killed", false),
        SIGUSR1: ("SIGUSR1", "user signal 1", false),
        SIGSEGV: ("SIGSEGV", "segmentation fault", true),
        SIGUSR2: ("SIGUSR2", "user signal 2", false),
        SIGPIPE: ("SIGPIPE", "broken pipe", false),
        SIGALRM: ("SIGALRM", "alarm", false),
        SIGTERM: ("SIGTERM", "terminated", false),
        SIGXCPU: ("SIGXCPU", "CPU time limit", false),
        SIGXFSZ: ("SIGXFSZ", "file size limit", false),
        SIGSYS: ("SIGSYS", "forbidden system call", true),
    ]
}
