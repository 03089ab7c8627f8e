import Analysis
import Glibc

extension MemoryLimit {
    /// What may be taken now: MemAvailable, or what the tightest control group above this process leaves when
    /// that is less.
    ///
    /// - Parameters:
    ///   - ownBytes: what the engine's process holds already.
    ///   - cgroups: where control groups are mounted.
    /// - Returns: the machine's memory, `static`, where nothing tells what is available; nil where not even
    ///   that is known.
    public static func read(
        procfs: String = "/proc", cgroups: String = "/sys/fs/cgroup", ownBytes: UInt64 = 0
    ) -> MemoryLimit? {
        let meminfo = fileText(procfs + "/meminfo") ?? ""
        let group = ControlGroups.tightest(procfs: procfs, cgroups: cgroups)
        guard let available = MemoryReadings.meminfo(meminfo, "MemAvailable") else {
            if let group {
                return MemoryLimit(
                    .cgroup, availableBytes: group.left, ownBytes: ownBytes, source: group.path)
            }
            let total = MemoryReadings.meminfo(meminfo, "MemTotal") ?? physicalBytes
            return total.map {
                MemoryLimit(.static, availableBytes: $0, ownBytes: ownBytes, source: "the machine's memory")
            }
        }
        if let group, group.left < available {
            return MemoryLimit(.cgroup, availableBytes: group.left, ownBytes: ownBytes, source: group.path)
        }
        return MemoryLimit(
            .live, availableBytes: available, ownBytes: ownBytes, source: "MemAvailable")
    }

    private static var physicalBytes: UInt64? {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let size = sysconf(Int32(_SC_PAGESIZE))
        guard pages > 0, size > 0 else { return nil }
        return UInt64(pages).times(UInt64(size))
    }
}

/// The control groups that bound this process's memory (cgroups(7); kernel, admin-guide/cgroup-v2.rst and
/// cgroup-v1/memory.rst).
enum ControlGroups {
    /// What one group leaves, and of what, in bytes.
    struct Left: Sendable, Hashable {
        var left: UInt64
        var limit: UInt64
        var current: UInt64
        var path: String
    }

    /// Where a process's memory group may be mounted, best first, the mount's root last.
    struct Place: Sendable, Hashable {
        var root: String
        /// "" for the root itself, else beginning with a slash.
        var path: String
        var isVersion1: Bool
        var directory: String { root + path }
    }

    /// The places that /proc/self/cgroup names. Its paths are the host's; inside a container the group is
    /// often mounted as the root itself.
    static func places(membership: [UInt8], cgroups: String) -> [Place] {
        var places: [Place] = []
        for line in String(decoding: membership, as: UTF8.self).split(separator: "\n") {
            // hierarchy-id:controllers:path (cgroups(7)); version 2 has no controllers there.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let path = fields[2] == "/" ? "" : String(fields[2])
            if fields[1].isEmpty {
                places += [
                    Place(root: cgroups, path: path, isVersion1: false),
                    Place(root: cgroups + "/unified", path: path, isVersion1: false),
                    Place(root: cgroups, path: "", isVersion1: false),
                ]
            } else if fields[1].split(separator: ",").contains("memory") {
                places += [
                    Place(root: cgroups + "/memory", path: path, isVersion1: true),
                    Place(root: cgroups + "/memory", path: "", isVersion1: true),
                ]
            }
        }
        return places
    }

    /// Of all groups from this process's own up to the root the one that leaves least; nil without a limit.
    static func tightest(procfs: String, cgroups: String) -> Left? {
        tightest(of: above(procfs: procfs, cgroups: cgroups))
    }

    static func tightest(of places: [Place]) -> Left? {
        places.compactMap(left).min { ($0.left, $0.path) < ($1.left, $1.path) }
    }

    /// All groups from this process's own up to the root.
    static func above(procfs: String, cgroups: String) -> [Place] {
        let named = places(membership: smallFile(procfs + "/self/cgroup") ?? [], cgroups: cgroups)
        var found: [Place] = []
        for version1 in [false, true] {
            guard
                let own = named.first(where: { $0.isVersion1 == version1 && isMounted($0) })
            else { continue }
            var place = own
            while true {
                found.append(place)
                guard let slash = place.path.lastIndex(of: "/") else { break }
                place.path = String(place.path[..<slash])
            }
        }
        return found
    }

    private static func isMounted(_ place: Place) -> Bool {
        access(place.directory + (place.isVersion1 ? "/memory.usage_in_bytes" : "/memory.current"), R_OK) == 0
    }

    /// nil for a group without a limit.
    static func left(of place: Place) -> Left? {
        let directory = place.directory + "/memory."
        let limits: [UInt64]
        let current: UInt64?
        if place.isVersion1 {
            limits = [MemoryReadings.limit(fileText(directory + "limit_in_bytes"))].compactMap { $0 }
            current = MemoryReadings.limit(fileText(directory + "usage_in_bytes"))
        } else {
            limits = ["max", "high"].compactMap { MemoryReadings.limit(fileText(directory + $0)) }
            current = MemoryReadings.limit(fileText(directory + "current"))
        }
        guard let limit = limits.min(), let current else { return nil }
        let left = MemoryReadings.left(limit: limit, current: current, stat: fileText(directory + "stat"))
        return Left(left: left, limit: limit, current: current, path: place.directory)
    }
}

/// A small file of the kernel's as text; nil when it cannot be read.
func fileText(_ path: String) -> String? {
    smallFile(path, limit: 16 << 10).map { String(decoding: $0, as: UTF8.self) }
}
