import FoundationEssentials

@testable import Session

/// A small `/sys` and `/proc` of files, removed with the value's owner.
final class MachineTree {
    let root = FileManager.default.temporaryDirectory.path + "/sustain-tree-\(UUID().uuidString)"

    /// - Parameter files: text by path: "sys/class/...", "proc/vmstat".
    init(_ files: [String: String] = [:]) throws {
        for name in ["sys", "proc"] {
            try FileManager.default.createDirectory(
                atPath: "\(root)/\(name)", withIntermediateDirectories: true)
        }
        for (path, text) in files { try write(path, text) }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func write(_ path: String, _ text: String) throws {
        let file = "\(root)/\(path)"
        let directory = file[..<(file.lastIndex(of: "/") ?? file.endIndex)]
        try FileManager.default.createDirectory(
            atPath: String(directory), withIntermediateDirectories: true)
        try AtomicFile.write(Array((text + "\n").utf8), to: file)
    }

    var facts: HostFacts { HostFacts(sysfs: root + "/sys", procfs: root + "/proc") }

    /// The checks of the machine with this tree and two processors.
    func checks(threads: Int? = nil) -> [String: (verdict: String, seen: String)] {
        let conditions = Conditions(
            facts: facts, output: "/", threads: threads, lock: MachineLock(directory: root),
            processors: [0, 1])
        return Dictionary(
            conditions.instant().map { ($0.name, ($0.verdict.rawValue, $0.seen)) },
            uniquingKeysWith: { first, _ in first })
    }
}
