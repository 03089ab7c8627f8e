import Analysis
import CPower
import Glibc

/// Memory of a process as the kernel accounts it (proc_pid_status(5), kernel fs/proc/task_mmu.c).
///
/// RSS alone cannot tell weights that are mapped from weights that are copied: both figures are the same, and
/// only anonymous against file-mapped shows it.
public enum ProcessMemory {
    /// Name in memory lines and line of the status file.
    static let entries: [(name: String, field: SourceField)] = [
        ("rss", .line("VmRSS:")),
        ("anonymous", .line("RssAnon:")),
        ("file_mapped", .line("RssFile:")),
        ("peak_rss", .line("VmHWM:")),
        ("swap", .line("VmSwap:")),
    ]

    /// The status file counts in kB of 1024 bytes.
    static let bytesPerUnit: Int64 = 1024

    /// Of smaps_rollup (kernel Documentation/filesystems/proc.rst): pages shared with others count in part.
    private static let rolledUp: [(name: String, field: SourceField)] = [
        ("pss", .line("Pss:")),
        ("private_clean", .line("Private_Clean:")),
        ("private_dirty", .line("Private_Dirty:")),
        ("shared_clean", .line("Shared_Clean:")),
    ]

    /// Bytes by name, now: "rss", "anonymous", "file_mapped", "peak_rss", "swap". What the kernel does not
    /// show is left out; when it shows nothing, the reason.
    public static func read(_ pid: pid_t, procfs: String = "/proc") -> Maybe<[String: UInt64]> {
        read("\(procfs)/\(pid)/status", entries)
    }

    /// Bytes by name, now: "pss", "private_clean", "private_dirty", "shared_clean". The kernel walks all pages of
    /// the process for it and holds its map lock meanwhile: never while something is timed.
    public static func rollup(_ pid: pid_t, procfs: String = "/proc") -> Maybe<[String: UInt64]> {
        read("\(procfs)/\(pid)/smaps_rollup", rolledUp)
    }

    private static func read(
        _ path: String, _ entries: [(name: String, field: SourceField)]
    ) -> Maybe<[String: UInt64]> {
        var text = [CChar](repeating: 0, count: sourceTextCapacity)
        let length = cpower_read_file(path, &text, text.count)
        guard length >= 0 else { return .unavailable("\(path): \(errnoText(Int32(-length)))") }
        var bytes: [String: UInt64] = [:]
        for entry in entries {
            var value: Int64 = 0
            var field = entry.field.raw
            guard cpower_field_parse(text, length, &field, &value) == 0 else { continue }
            let (product, overflow) = value.multipliedReportingOverflow(by: bytesPerUnit)
            if !overflow, let size = UInt64(exactly: product) { bytes[entry.name] = size }
        }
        return bytes.isEmpty
            ? .unavailable("\(path): no memory lines (a process that has ended)") : .known(bytes)
    }
}
