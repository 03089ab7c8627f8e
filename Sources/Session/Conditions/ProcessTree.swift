import Analysis
import Glibc

/// Who started whom, as procfs tells it.
struct ProcessTree {
    private let facts: HostFacts

    /// The initial process namespace's inode (kernel include/linux/proc_ns.h, PROC_PID_INIT_INO).
    private static let initialNamespace = "pid:[4026531836]"
    private static let deepest = 64

    init(_ facts: HostFacts) { self.facts = facts }

    /// Whether every process of the machine is seen, under the id that the kernel's drivers use for it.
    var isWhole: Bool {
        var link = [CChar](repeating: 0, count: 64)
        let length = readlink("\(facts.procfs)/self/ns/pid", &link, link.count - 1)
        guard length > 0 else { return false }
        return String(decoding: link.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
            == Self.initialNamespace
    }

    /// Whether a process is one of `ancestors`, or was started by one of them or of their children.
    func descends(_ pid: Int32, from ancestors: Set<Int32>) -> Bool {
        var next = pid
        for _ in 0..<Self.deepest where next > 0 {
            if ancestors.contains(next) { return true }
            guard let parent = facts.procField("\(next)/status", "PPid").value.flatMap({ Int32($0) }) else {
                return false
            }
            next = parent
        }
        return false
    }
}
