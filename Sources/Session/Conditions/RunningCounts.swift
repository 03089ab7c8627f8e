import Analysis
import Glibc

/// Counts since the boot that a run must not move. They are kept as they stand; what became of them over the run
/// is the analysis' to say (`ChangesOverRun`).
enum RunningCounts {
    static func read(_ facts: HostFacts) -> [String: Int64] {
        throttling(facts).merging(swap(facts)) { own, _ in own }
    }

    /// Of every package, and of all cores together (kernel arch/x86/kernel/cpu/mce/therm_throt.c); of a Raspberry Pi
    /// the bits of its firmware (drivers/firmware/raspberrypi.c).
    private static func throttling(_ facts: HostFacts) -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for cpu in facts.names("devices/system/cpu", prefix: "cpu") where Int(cpu.dropFirst(3)) != nil {
            let path = "devices/system/cpu/\(cpu)"
            guard let core = facts.number("\(path)/thermal_throttle/core_throttle_count") else { continue }
            counts["throttle:cores", default: 0] &+= core
            let package = facts.number("\(path)/topology/physical_package_id") ?? 0
            // The package's count is the same in all of its CPUs.
            guard counts["throttle:package-\(package)"] == nil else { continue }
            counts["throttle:package-\(package)"] = facts.number(
                "\(path)/thermal_throttle/package_throttle_count")
        }
        let firmware = facts.sys("devices/platform/soc/soc:firmware/get_throttled").value
        if let text = firmware,
            let bits = Int64(text.hasPrefix("0x") ? text.dropFirst(2) : text[...], radix: 16)
        {
            counts["throttle:firmware"] = bits
        }
        return counts
    }

    /// /proc/vmstat: pages swapped in and out (proc_vmstat(5)).
    private static func swap(_ facts: HostFacts) -> [String: Int64] {
        guard let text = facts.proc("vmstat").value else { return [:] }
        var counts: [String: Int64] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let value = Int64(words[1]) else { continue }
            if words[0] == "pswpin" { counts["swap:in_pages"] = value }
            if words[0] == "pswpout" { counts["swap:out_pages"] = value }
        }
        if !counts.isEmpty { counts["swap:page_bytes"] = Int64(sysconf(Int32(_SC_PAGESIZE))) }
        return counts
    }
}
