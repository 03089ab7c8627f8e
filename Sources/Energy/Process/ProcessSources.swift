import Analysis
import Glibc

/// Memory of one process as sources, at 1 Hz.
public enum ProcessMemorySources {
    /// Resident memory from /proc/PID/status, all in one read: `process:rss`, `process:anonymous`,
    /// `process:file`, `process:peak_rss`, `process:swap`, in bytes (raw kB, scale 1024).
    ///
    /// The device of their scope is `pid-N`. Once the process has ended their reads fail with ESRCH.
    public static func open(_ pid: pid_t, procfs: String = "/proc") throws(Failure) -> [LiveSource] {
        sources(of: pid, status: try SourceFile.open("\(procfs)/\(pid)/status"))
    }

    static func sources(of pid: pid_t, status file: SourceFile) -> [LiveSource] {
        ProcessMemory.entries.map { entry in
            let name = entry.name == "file_mapped" ? "file" : entry.name
            return LiveSource(
                SourceLine(
                    id: "process:\(name)", kind: .gauge, quantity: .memory,
                    scale: Double(ProcessMemory.bytesPerUnit), domain: "process", device: "pid-\(pid)",
                    interface: "procfs"),
                file: file, field: entry.field, interval: contextInterval)
        }
    }
}

/// What the trace follows of one process, at 1 Hz: memory, CPU time, context switches.
public enum ProcessSources {
    /// The sources of `ProcessMemorySources`; out of the same read `process:involuntary_switches`, of the
    /// process's first thread alone, as the kernel shows them; and `process:cpu`, user and system time of
    /// all its threads (proc_pid_stat(5), fields 14 and 15, in clock ticks).
    public static func open(_ pid: pid_t, procfs: String = "/proc") throws(Failure) -> [LiveSource] {
        let status = try SourceFile.open("\(procfs)/\(pid)/status")
        let stat = try SourceFile.open("\(procfs)/\(pid)/stat")
        func line(_ id: String, _ quantity: SourceLine.Quantity, _ scale: Double) -> SourceLine {
            SourceLine(
                id: id, kind: .counter, quantity: quantity, scale: scale, domain: "process",
                device: "pid-\(pid)", interface: "procfs")
        }
        return ProcessMemorySources.sources(of: pid, status: status) + [
            LiveSource(
                line("process:involuntary_switches", .count, 1), file: status,
                field: .line("nonvoluntary_ctxt_switches:"), interval: contextInterval),
            LiveSource(
                line("process:cpu", .time, secondsPerClockTick), file: stat,
                field: .afterName(columns: [11, 12]), interval: contextInterval),
        ]
    }
}

/// Unit of CPU time in procfs (sysconf(3), _SC_CLK_TCK); 100 a second on every Linux of today.
let secondsPerClockTick = 1 / Double(max(sysconf(Int32(_SC_CLK_TCK)), 1))

/// Context is read once a second: it explains figures, it is not their source.
let contextInterval = Nanoseconds(1_000_000_000)
