import Analysis

/// How often the kernel's out-of-memory killer has struck so far, as far as this process can see.
struct OutOfMemoryCounters: Sendable, Hashable {
    /// Kills in this process's control group, where the worker lives too: `oom_kill` of memory.events
    /// (cgroup v2, Documentation/admin-guide/cgroup-v2.rst) or of memory.oom_control (v1).
    var controlGroup: UInt64?
    /// Kills on the whole machine: `oom_kill` of /proc/vmstat (Linux 4.13).
    var machine: UInt64?

    static func read(procfs: String = "/proc", cgroups: String = "/sys/fs/cgroup") -> OutOfMemoryCounters {
        var counters = OutOfMemoryCounters()
        counters.machine = smallFile(procfs + "/vmstat").flatMap(oomKills)
        let membership = smallFile(procfs + "/self/cgroup") ?? []
        counters.controlGroup =
            eventFiles(membership: membership, cgroups: cgroups).lazy
            .compactMap { smallFile($0).flatMap(oomKills) }.first
        return counters
    }

    /// The files that may hold the counter, best first.
    static func eventFiles(membership: [UInt8], cgroups: String) -> [String] {
        ControlGroups.places(membership: membership, cgroups: cgroups).map {
            $0.directory + ($0.isVersion1 ? "/memory.oom_control" : "/memory.events")
        }
    }

    private static func oomKills(_ bytes: [UInt8]) -> UInt64? {
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == "oom_kill" { return UInt64(words[1]) }
        }
        return nil
    }
}

/// A line of the worker's log that says memory ran out.
struct MemoryComplaint: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// A C++ allocation failed.
        case badAllocation
        /// An accelerator's allocator said no.
        case device
        /// Memory ran out, it does not say whose.
        case unspecified
    }

    let kind: Kind
    /// The line, at most 160 characters of it.
    let line: String

    /// The last such line in the end of a log.
    static func last(in tail: [UInt8]) -> MemoryComplaint? {
        let lines = tail.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
        for bytes in lines.reversed() {
            let line = String(decoding: bytes.prefix(4096), as: UTF8.self)
            if let kind = kind(of: line.lowercased()) {
                return MemoryComplaint(kind: kind, line: String(line.prefix(160)))
            }
        }
        return nil
    }

    private static func kind(of line: String) -> Kind? {
        if line.contains("bad_alloc") { return .badAllocation }
        if line.contains("outofdevicememory") || line.contains("cuda_error_out_of_memory") { return .device }
        let complaints = [
            "out of memory", "cannot allocate memory", "failed to allocate", "unable to allocate",
        ]
        guard complaints.contains(where: line.contains) else { return nil }
        let devices = [
            "cuda", "hipmalloc", "hip error", "rocm", "vulkan", "metal", "sycl", "gpu", "vram", "device",
        ]
        return devices.contains(where: line.contains) ? .device : .unspecified
    }
}
