import Analysis
import Energy
import Glibc

/// Small text files of procfs and sysfs, under roots that a test or a container can move.
struct HostFacts: Sendable {
    let sysfs: String
    let procfs: String

    /// The file's text without white space at its ends, or why it cannot be read.
    func text(_ path: String) -> Maybe<String> {
        do {
            let bytes = try BoundedFile.read(path, limit: 1 << 20)
            return .known(String(decoding: bytes, as: UTF8.self).trimmed)
        } catch {
            return .unavailable("\(path): \(error.cause)")
        }
    }

    func sys(_ path: String) -> Maybe<String> { text(sysfs + "/" + path) }
    func proc(_ path: String) -> Maybe<String> { text(procfs + "/" + path) }

    /// A file of sysfs that holds one whole number; nil where there is none.
    func number(_ path: String) -> Int64? { sys(path).value.flatMap { Int64($0) } }

    /// The names in a directory of sysfs that begin so, in natural order; none where it cannot be listed.
    func names(_ path: String, prefix: String) -> [String] {
        let listing = try? Directory("\(sysfs)/\(path)", most: 4096) { $0.hasPrefix(prefix) }
        return listing?.names ?? []
    }

    /// The value of a `Key: value` line, as /proc/cpuinfo and /proc/meminfo have them.
    func procField(_ file: String, _ key: String) -> Maybe<String> {
        switch proc(file) {
        case .unavailable(let why): return .unavailable(why)
        case .known(let text):
            for line in text.split(separator: "\n") {
                guard let colon = line.firstIndex(of: ":"), line[..<colon].trimmed == key else { continue }
                return .known(line[line.index(after: colon)...].trimmed)
            }
            return .unavailable("\(file) has no field \"\(key)\"")
        }
    }
}

extension StringProtocol {
    /// The text held to a length that a reader can use: firmware, drivers and variables may say anything.
    func bounded(to most: Int = 200) -> String {
        let scalars = unicodeScalars
        guard let cut = scalars.index(scalars.startIndex, offsetBy: most, limitedBy: scalars.endIndex),
            cut < scalars.endIndex
        else { return String(self) }
        return String(self[..<cut]) + "…"
    }

    /// The text without white space at its ends.
    var trimmed: String {
        let head = drop { $0.isWhitespace }
        guard let last = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(head[...last])
    }
}

/// Jiffies of /proc/stat's first line and of single processes: who used the CPUs between two moments.
struct CPUUse: Sendable {
    /// user + nice + system + irq + softirq of all CPUs (guest time is inside user; proc(5)).
    let busy: UInt64
    let steal: UInt64
    /// user + system of the processes that belong to the measurement, children reaped included.
    let ours: UInt64

    static func read(_ facts: HostFacts, pids: [Int32]) -> CPUUse? {
        guard let stat = facts.proc("stat").value, let first = stat.split(separator: "\n").first else {
            return nil
        }
        let fields = first.split(separator: " ").dropFirst().compactMap { UInt64($0) }
        guard first.hasPrefix("cpu "), fields.count >= 8 else { return nil }
        var ours: UInt64 = 0
        // Wrapping sums: the files may be a tree of the user's.
        for pid in pids { ours &+= processJiffies(facts, pid: pid) ?? 0 }
        let busy = [0, 1, 2, 5, 6].reduce(0) { $0 &+ fields[$1] }
        return CPUUse(busy: busy, steal: fields[7], ours: ours)
    }

    /// utime, stime, cutime, cstime of /proc/PID/stat: fields 14 to 17, counted after the command's last ")".
    static func processJiffies(_ facts: HostFacts, pid: Int32) -> UInt64? {
        guard let text = facts.proc("\(pid)/stat").value, let end = text.lastIndex(of: ")") else {
            return nil
        }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 14 else { return nil }
        return fields[11...14].compactMap { UInt64($0) }.reduce(0, &+)
    }
}
