import Analysis

/// Memory of the machine and of the control groups that bound this process, to be read again and again.
///
/// The groups are looked for once: one that is given its first limit later is not seen.
public struct SystemMemory: Sendable {
    private let procfs: String
    private let groups: [ControlGroups.Place]

    /// - Parameter cgroups: where control groups are mounted.
    public init(procfs: String = "/proc", cgroups: String = "/sys/fs/cgroup") {
        self.procfs = procfs
        groups = ControlGroups.above(procfs: procfs, cgroups: cgroups)
            .filter { ControlGroups.left(of: $0) != nil }
    }

    /// Bytes that can still be had without swapping: MemAvailable (proc_meminfo(5)), or what the tightest control
    /// group leaves when that is less; nil where neither can be read.
    public var available: UInt64? {
        let machine = fileText(procfs + "/meminfo").flatMap { MemoryReadings.meminfo($0, "MemAvailable") }
        return [machine, ControlGroups.tightest(of: groups)?.left].compactMap { $0 }.min()
    }

    /// Bytes by name: "available" and "swap_used" of the machine; "cgroup_current", "cgroup_max" and
    /// "cgroup_left", which takes file pages for free, of the tightest group with a limit. What cannot be read is
    /// left out.
    public var bytes: [String: UInt64] {
        var bytes: [String: UInt64] = [:]
        let meminfo = fileText(procfs + "/meminfo") ?? ""
        bytes["available"] = MemoryReadings.meminfo(meminfo, "MemAvailable")
        if let total = MemoryReadings.meminfo(meminfo, "SwapTotal"),
            let free = MemoryReadings.meminfo(meminfo, "SwapFree"), total >= free
        {
            bytes["swap_used"] = total - free
        }
        if let group = ControlGroups.tightest(of: groups) {
            bytes["cgroup_current"] = group.current
            bytes["cgroup_max"] = group.limit
            bytes["cgroup_left"] = group.left
        }
        return bytes
    }
}
