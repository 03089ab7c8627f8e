import Foundation
import TestSupport

/// A control group of the real kernel with a limit of memory, removed with the object.
final class MemoryGroup {
    let path: String

    /// nil where none can be made.
    init?(limit: UInt64) {
        let membership = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        var places: [(directory: String, file: String)] = []
        for line in membership.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let own = fields[2] == "/" ? "" : String(fields[2])
            if fields[1].split(separator: ",").contains("memory") {
                places += [own, ""].map { ("/sys/fs/cgroup/memory" + $0, "memory.limit_in_bytes") }
            } else if fields[1].isEmpty {
                places += [own, ""].map { ("/sys/fs/cgroup" + $0, "memory.max") }
            }
        }
        for place in places {
            let path = place.directory + "/sustain-test-\(UUID().uuidString)"
            guard mkdir(path, 0o755) == 0 else { continue }
            if (try? Data("\(limit)".utf8).write(to: URL(filePath: path + "/" + place.file))) != nil {
                self.path = path
                // Without swap the limit is the end. A kernel that counts no swap has no such file.
                for (name, value) in [("memory.swap.max", "0"), ("memory.memsw.limit_in_bytes", "\(limit)")]
                where access(path + "/" + name, W_OK) == 0 {
                    try? Data(value.utf8).write(to: URL(filePath: path + "/" + name))
                }
                return
            }
            rmdir(path)
        }
        return nil
    }

    deinit { rmdir(path) }

    static let isPossible = MemoryGroup(limit: 1 << 30) != nil

    /// Runs `sustain` in it. The group is there until it has ended.
    func run(_ arguments: [String], in place: Workplace) throws -> Program.Ended {
        let join = "echo $$ > '\(path)/cgroup.procs' && exec \"$0\" \"$@\""
        return try Program(
            at: "/bin/sh", ["-c", join, Program.path("sustain")] + arguments, in: place
        ).wait()
    }
}
