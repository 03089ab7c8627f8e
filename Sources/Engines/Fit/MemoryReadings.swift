import Analysis

/// The kernel's figures, parsed.
enum MemoryReadings {
    /// A line of /proc/meminfo in bytes (proc_meminfo(5)); the kernel's "kB" are 1024 bytes.
    static func meminfo(_ text: String, _ field: String) -> UInt64? {
        for line in text.split(separator: "\n") where line.hasPrefix(field + ":") {
            let words = line.dropFirst(field.utf8.count + 1).split(separator: " ")
            guard let first = words.first, let value = UInt64(first) else { return nil }
            return words.count > 1 ? value.times(1024) : value
        }
        return nil
    }

    /// What one control group leaves: its limit less what it holds, its file pages taken for free as
    /// MemAvailable takes them.
    static func left(limit: UInt64, current: UInt64, stat: String?) -> UInt64 {
        let reclaimable = reclaimable(stat ?? "")
        let held = current > reclaimable ? current - reclaimable : 0
        return limit > held ? limit - held : 0
    }

    /// `active_file` and `inactive_file` of memory.stat; of version 1 the ones with the groups below.
    private static func reclaimable(_ stat: String) -> UInt64 {
        var values: [Substring: UInt64] = [:]
        for line in stat.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, let value = UInt64(words[1]) { values[words[0]] = value }
        }
        return .saturatingSum(
            ["active_file", "inactive_file"].map { values["total_\($0)"] ?? values[Substring($0)] ?? 0 })
    }

    /// A limit's file: "max", or bytes. Version 1 writes the largest page-aligned number for none.
    static func limit(_ text: String?) -> UInt64? {
        guard let word = text?.split(whereSeparator: \.isWhitespace).first, let value = UInt64(word) else {
            return nil
        }
        return value >= 1 << 62 ? nil : value
    }
}
