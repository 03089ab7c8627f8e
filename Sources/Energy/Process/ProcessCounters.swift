import Analysis
import CPower
import Glibc

/// Event counters of one process through perf_event: what its work cost the processor, at marks and 1 Hz.
public enum ProcessCounters {
    /// What could be opened, and a row for all that could not or not in full.
    public struct Opened: Sendable {
        public var sources: [LiveSource] = []
        public var rows: [CapabilitiesLine.Row] = []
    }

    /// Opens `process:instructions`, `process:cycles`, `process:cache_misses` (the kernel's generic event: of
    /// the last level of cache on Intel, of the second on AMD), `process:task_clock` (ns), `process:page_faults`
    /// and `process:context_switches`; with each, `.../enabled` and `.../running`, the nanoseconds in which
    /// its threads ran, and in which the counter had a register to count with.
    ///
    /// Counts every thread that the process makes from now on. Threads that it has already would be missed in
    /// silence: then nothing is opened. Where user mode alone may be counted, the lines say so
    /// (`SourceLine.excludesKernel`), and what happens in kernel mode is not opened.
    public static func open(_ pid: pid_t, roots: SystemRoots) -> Opened {
        open(pid, roots: roots, perf: .system)
    }

    static func open(_ pid: pid_t, roots: SystemRoots, perf: PerfInterface) -> Opened {
        var opened = Opened()
        let units = coreUnits(sysfs: roots.sysfs)
        for counter in ProcessCounter.all {
            for unit in counter.isHardware && units.count > 1 ? units : [nil] {
                counter.open(pid, on: unit, perf: perf, into: &opened)
            }
        }
        // Looked at afterwards: a thread that came in between is counted already.
        let tasks = "\(roots.procfs)/\(pid)/task"
        do {
            let threads = try Directory(tasks, most: 2) { $0.allSatisfy(\.isASCIIDigit) }
            guard threads.names.count + threads.omitted > 1 else { return opened }
            return refused("process \(pid) has threads already, which counters attached now would miss")
        } catch {
            return refused("\(error.thing): \(error.cause): threads that counters would miss cannot be seen")
        }
    }

    private static func refused(_ reason: String) -> Opened {
        Opened(rows: [CapabilitiesLine.Row(id: "process:counters", status: .unsupported, reason: reason)])
    }

    /// The PMUs of a processor with cores of several kinds: `cpu_core`, `cpu_atom`. A thread counts on the one
    /// whose core it is on (kernel arch/x86/events/core.c); elsewhere there is one PMU, without need of a name.
    private static func coreUnits(sysfs: String) -> [CoreUnit?] {
        let root = "\(sysfs)/bus/event_source/devices"
        guard let names = try? Directory(root, most: 8, keep: { $0.hasPrefix("cpu_") }) else { return [] }
        return names.names.compactMap { name in
            guard let id = identifier(name), let pmu = try? PMU(path: "\(root)/\(name)") else { return nil }
            return CoreUnit(name: id, type: pmu.type)
        }
    }
}

/// The PMU of one kind of cores.
struct CoreUnit {
    let name: String
    let type: UInt32
}

/// One event that is counted for a process.
struct ProcessCounter {
    /// What a counter tells that may look at user mode only.
    enum UserModeOnly {
        /// The part of the truth that its name then says.
        case part
        /// All of it: the time on a processor is taken as a whole.
        case whole
        /// Nothing: the event happens in kernel mode.
        case nothing
    }

    let id: String
    let type: UInt32
    let config: UInt64
    let userModeOnly: UserModeOnly

    /// PERF_TYPE_HARDWARE and PERF_TYPE_SOFTWARE and their configs (linux/perf_event.h).
    static let all = [
        ProcessCounter(id: "process:instructions", type: 0, config: 1, userModeOnly: .part),
        ProcessCounter(id: "process:cycles", type: 0, config: 0, userModeOnly: .part),
        ProcessCounter(id: "process:cache_misses", type: 0, config: 3, userModeOnly: .part),
        ProcessCounter(id: "process:task_clock", type: 1, config: 1, userModeOnly: .whole),
        ProcessCounter(id: "process:page_faults", type: 1, config: 2, userModeOnly: .part),
        ProcessCounter(id: "process:context_switches", type: 1, config: 3, userModeOnly: .nothing),
    ]

    var isHardware: Bool { type == 0 }

    func open(
        _ pid: pid_t, on unit: CoreUnit?, perf: PerfInterface, into opened: inout ProcessCounters.Opened
    ) {
        // The upper half of a hardware event's config is the type of the PMU (PERF_PMU_TYPE_SHIFT).
        var event = PerfEvent(
            type: type, config: config | UInt64(unit?.type ?? 0) << 32, inherits: true, tellsTimes: true)
        let name = id + (unit.map { "@\($0.name)" } ?? "")
        var descriptor = perf.open(event, pid, -1)
        let refusal = descriptor
        if [-EACCES, -EPERM].contains(refusal), userModeOnly != .nothing {
            event.excludesKernel = true
            descriptor = perf.open(event, pid, -1)
        }
        guard descriptor >= 0 else {
            opened.rows.append(row(name, errno: -descriptor))
            return
        }
        let isPart = event.excludesKernel && userModeOnly == .part
        if isPart {
            opened.rows.append(
                CapabilitiesLine.Row(
                    id: name, status: .ok, reason: "user mode only: the kernel's part may not be counted",
                    remedy: PerfRemedy.text(errno: -refusal)))
        }
        let file = SourceFile(counter: descriptor, name: name)
        for (word, suffix) in ["", "/enabled", "/running"].enumerated() {
            let isTime = word > 0 || id == "process:task_clock"
            var line = SourceLine(
                id: name + suffix, kind: .counter, quantity: isTime ? .time : .count,
                scale: isTime ? 1e-9 : 1, domain: "process", device: "pid-\(pid)", interface: "perf")
            if isPart { line.excludesKernel = true }
            opened.sources.append(
                LiveSource(
                    line, file: file, field: .word(UInt32(word)), interval: contextInterval,
                    updatePeriod: Nanoseconds(0)))
        }
    }

    private func row(_ name: String, errno code: Int32) -> CapabilitiesLine.Row {
        let reason = "perf_event_open: \(errnoText(code)) (errno \(code))"
        switch code {
        case EACCES, EPERM:
            return CapabilitiesLine.Row(
                id: name, status: .noPermission, reason: reason, remedy: PerfRemedy.text(errno: code))
        case ENOENT, ENODEV, EOPNOTSUPP:
            let why = isHardware ? "no such counter in this machine, as in most virtual ones: " : ""
            return CapabilitiesLine.Row(id: name, status: .absent, reason: why + reason)
        case ESRCH: return CapabilitiesLine.Row(id: name, status: .absent, reason: reason)
        default: return CapabilitiesLine.Row(id: name, status: .unsupported, reason: reason)
        }
    }
}
