import Analysis

/// How much memory a bandwidth probe reads, and on which processors.
struct BandwidthPlan {
    let processors: [Int]
    let bytes: UInt64

    /// Reads over less than this measure a cache: caches keep a part of what is larger than they are.
    private static let cachesNeeded: UInt64 = 2
    private static let cachesWanted: UInt64 = 4
    private static let least: UInt64 = 256 << 20
    /// Where the processors' caches are not told.
    private static let withoutCaches: UInt64 = 512 << 20
    /// The probe may take one part in so many of what is free.
    private static let shareOfFree: UInt64 = 4

    /// Why there can be no probe, or the plan of one.
    static func make(_ facts: HostFacts, on processors: [Int]) -> Result<BandwidthPlan, Unavailable> {
        guard !processors.isEmpty else {
            return .failure(Unavailable("the kernel does not tell which CPUs may be used"))
        }
        guard let free = MemoryRoom.bytes(facts) else {
            return .failure(Unavailable("how much memory is free is not known"))
        }
        let caches = lastLevelCaches(facts, of: processors)
        let wanted = caches.map { max(least, saturating($0, times: cachesWanted)) } ?? withoutCaches
        let needed = caches.map { max(least, saturating($0, times: cachesNeeded)) } ?? least
        let room = free / shareOfFree
        guard room >= needed else {
            return .failure(
                Unavailable(
                    "memory is short: the probe needs \(needed >> 20) MiB, a quarter of what is free is \(room >> 20)"
                ))
        }
        return .success(BandwidthPlan(processors: processors, bytes: min(wanted, room)))
    }

    private static func saturating(_ bytes: UInt64, times factor: UInt64) -> UInt64 {
        let product = bytes.multipliedReportingOverflow(by: factor)
        return product.overflow ? .max : product.partialValue
    }

    /// Bytes of all caches of the highest level that the processors have, each once (kernel
    /// Documentation/ABI/testing/sysfs-devices-system-cpu, `cache/index*`); nil where none is told.
    static func lastLevelCaches(_ facts: HostFacts, of processors: [Int]) -> UInt64? {
        var sizes: [String: (level: Int64, bytes: UInt64)] = [:]
        for processor in processors {
            for index in 0..<8 {
                let path = "devices/system/cpu/cpu\(processor)/cache/index\(index)"
                guard let level = facts.number("\(path)/level"),
                    facts.sys("\(path)/type").value != "Instruction",
                    let bytes = facts.sys("\(path)/size").value.flatMap(size)
                else { continue }
                let sharers = facts.sys("\(path)/shared_cpu_list").value ?? "\(processor)"
                sizes["\(level) \(sharers)"] = (level, bytes)
            }
        }
        guard let highest = sizes.values.map(\.level).max() else { return nil }
        return sizes.values.filter { $0.level == highest }.reduce(0) {
            $0.addingReportingOverflow($1.bytes).overflow ? .max : $0 + $1.bytes
        }
    }

    /// "32768K", "32M".
    private static func size(_ text: String) -> UInt64? {
        let units: [Character: UInt64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
        guard let last = text.last else { return nil }
        guard let unit = units[last] else { return UInt64(text) }
        return UInt64(text.dropLast()).map { saturating($0, times: unit) }
    }
}

/// What memory this process may still take.
enum MemoryRoom {
    /// Bytes: of the machine, and of every control group above this process that has a limit. Nil when the machine
    /// does not tell.
    static func bytes(_ facts: HostFacts) -> UInt64? {
        guard let kibibytes = facts.procField("meminfo", "MemAvailable").value?.split(separator: " ").first,
            let available = UInt64(kibibytes), available < 1 << 50
        else { return nil }
        return min(available << 10, ControlGroups(facts).memoryRoom ?? .max)
    }
}
