import CPower
import Glibc

/// What a counter is to count (perf_event_open(2)).
struct PerfEvent: Sendable, Hashable {
    var type: UInt32
    var config: UInt64
    /// Counts the threads and children that the process makes from now on as well.
    var inherits = false
    /// Counts user mode only.
    var excludesKernel = false
    /// A read gives the times enabled and running after the value.
    var tellsTimes = false
}

/// The kernel's perf_event interface and libpfm4, as functions, so that a test can stand in for a machine.
struct PerfInterface: Sendable {
    /// Opens a counter of a process (`cpu` -1) or of a processor (`pid` -1): its descriptor, or -errno.
    var open: @Sendable (_ event: PerfEvent, _ pid: pid_t, _ cpu: Int32) -> Int32
    /// Type and config of an event by libpfm4's name; nil where it does not know one, or is not there.
    var encode: @Sendable (_ name: String) -> PerfEvent?

    static let system = PerfInterface(
        open: { event, pid, cpu in
            var raw = cpower_perf_event(
                type: event.type, config: event.config, inherit: event.inherits,
                exclude_kernel: event.excludesKernel, times: event.tellsTimes)
            return cpower_perf_open(&raw, pid, cpu)
        },
        encode: { name in
            var raw = cpower_perf_event()
            guard cpower_perf_encode(name, &raw) == 0 else { return nil }
            return PerfEvent(type: raw.type, config: raw.config)
        })
}

/// What to do where perf_event_open(2) is refused: one text for all counters, so that it is printed once.
enum PerfRemedy {
    /// EACCES is the kernel's own refusal; EPERM comes from a filter of system calls or a security module.
    static func text(errno code: Int32) -> String? {
        switch code {
        case EACCES:
            "sudo setcap cap_perfmon+ep \(program)   (or, for every program until the next boot: "
                + "sudo sysctl kernel.perf_event_paranoid=0)"
        case EPERM:
            "in a container: --cap-add PERFMON and a seccomp profile that allows perf_event_open"
        default: nil
        }
    }

    /// This program's path, fit for a shell.
    private static var program: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        guard length > 0, length < buffer.count else { return "PROGRAM" }
        return shellWord(String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    static func shellWord(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "/._-+=:@%".utf8.contains(byte)
            }
        }
        if isPlain, !text.isEmpty { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
            + "'"
    }
}
