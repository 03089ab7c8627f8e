import Analysis

/// What the control groups above this process leave it (version 2; kernel Documentation/admin-guide/cgroup-v2.rst).
struct ControlGroups {
    /// From the process's own group up to the root, below the root of sysfs. Inside a container the group is often
    /// mounted as the root itself.
    private let directories: [String]
    private let facts: HostFacts

    private static let deepest = 32

    init(_ facts: HostFacts) {
        self.facts = facts
        let groups = facts.proc("self/cgroup").value?.split(separator: "\n") ?? []
        guard let own = groups.first(where: { $0.hasPrefix("0::") }) else {
            directories = []
            return
        }
        var path = own.dropFirst(3)
        var found: [String] = []
        for _ in 0..<Self.deepest {
            found.append("fs/cgroup" + (path == "/" ? "" : path))
            guard let slash = path.lastIndex(of: "/"), path.count > 1 else { break }
            path = slash == path.startIndex ? "/" : path[..<slash]
        }
        directories = found
    }

    var areKnown: Bool { !directories.isEmpty }

    /// Bytes that may still be taken; nil without a limit.
    var memoryRoom: UInt64? {
        directories.compactMap { directory -> UInt64? in
            guard let most = facts.number("\(directory)/memory.max"),
                let used = facts.number("\(directory)/memory.current")
            else { return nil }
            return UInt64(max(0, most - used))
        }.min()
    }

    /// Processors' worth of time, "200000 100000" for two; nil without a quota.
    var processors: Double? {
        directories.compactMap { directory -> Double? in
            let words = facts.sys("\(directory)/cpu.max").value?.split(separator: " ") ?? []
            guard words.count == 2, let time = Double(words[0]), let period = Double(words[1]), time > 0,
                period > 0
            else { return nil }
            return time / period
        }.min()
    }
}
