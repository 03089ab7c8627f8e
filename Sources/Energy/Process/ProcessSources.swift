import Analysis
import Glibc

/// Context sources of one process, at 1 Hz.
public enum ProcessMemorySources {
    /// Resident memory from /proc/PID/status, all in one read: `process:rss`, `process:anonymous`,
    /// `process:file`, `process:peak_rss`, `process:swap`, in bytes (raw kB, scale 1024).
    ///
    /// The device of their scope is `pid-N`. Once the process has ended their reads fail with ESRCH.
    public static func open(_ pid: pid_t, procfs: String = "/proc") throws(Failure) -> [LiveSource] {
        let file = try SourceFile.open("\(procfs)/\(pid)/status")
        return ProcessMemory.entries.map { entry in
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

/// Context is read once a second: it explains figures, it is not their source.
let contextInterval = Nanoseconds(1_000_000_000)
