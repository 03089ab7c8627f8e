import Analysis
import Testing

@testable import Session

@Suite struct BandwidthTests {
    private static let cache = "sys/devices/system/cpu/cpu"

    /// Two processors that share one cache of the third level, and each with a second level of its own.
    private func machine(available: String, size: String = "32768K") throws -> MachineTree {
        var files = ["proc/meminfo": "MemTotal: 1 kB\nMemAvailable:   \(available) kB"]
        for processor in 0...1 {
            let path = "\(Self.cache)\(processor)/cache"
            files["\(path)/index0/level"] = "2"
            files["\(path)/index0/type"] = "Unified"
            files["\(path)/index0/size"] = "1024K"
            files["\(path)/index0/shared_cpu_list"] = "\(processor)"
            files["\(path)/index1/level"] = "3"
            files["\(path)/index1/type"] = "Unified"
            files["\(path)/index1/size"] = size
            files["\(path)/index1/shared_cpu_list"] = "0-1"
        }
        return try MachineTree(files)
    }

    @Test func theBufferIsWellBeyondTheLastLevelCache() throws {
        let small = try machine(available: "8000000")
        #expect(BandwidthPlan.lastLevelCaches(small.facts, of: [0, 1]) == 32 << 20)
        #expect(try BandwidthPlan.make(small.facts, on: [0, 1]).get().bytes == 256 << 20)
        let large = try machine(available: "64000000", size: "512M")
        #expect(try BandwidthPlan.make(large.facts, on: [0, 1]).get().bytes == 2 << 30)
        // Less than wanted, and still twice the cache.
        let tight = try machine(available: "\(6 << 20)", size: "512M")
        #expect(try BandwidthPlan.make(tight.facts, on: [0, 1]).get().bytes == 1536 << 20)
    }

    @Test func shortMemoryIsAReason() throws {
        func reason(_ tree: MachineTree) -> String {
            if case .failure(let why) = BandwidthPlan.make(tree.facts, on: [0]) { why.reason } else { "" }
        }
        #expect(reason(try machine(available: "900000")).hasPrefix("memory is short"))
        #expect(reason(try MachineTree()) == "how much memory is free is not known")
        // A control group above ours may hold less than the machine has.
        let grouped = try machine(available: "8000000")
        try grouped.write("proc/self/cgroup", "0::/user/job")
        try grouped.write("sys/fs/cgroup/user/memory.max", "600000000")
        try grouped.write("sys/fs/cgroup/user/memory.current", "100000000")
        #expect(MemoryRoom.bytes(grouped.facts) == 500_000_000)
        #expect(reason(grouped).hasPrefix("memory is short"))
        try grouped.write("sys/fs/cgroup/memory.max", "200000000")
        try grouped.write("sys/fs/cgroup/memory.current", "300000000")
        #expect(MemoryRoom.bytes(grouped.facts) == 0)
    }

    @Test func everyByteOfEveryRepetitionIsCounted() throws {
        let processors = try #require(Identity.usableProcessors())
        let plan = BandwidthPlan(processors: Array(processors.prefix(2)), bytes: 1 << 21)
        let probe = try BandwidthProbe(plan)
        // Asked to end at once: the repetition that is running is still whole.
        let line = probe.finish()
        #expect(line.bufferBytes == 1 << 21)
        #expect(line.threads == plan.processors.count)
        #expect(line.repetitions >= 1)
        #expect(line.bytesPerSecond.value ?? 0 > 0)
        #expect(probe.hasEnded)
        #expect(probe.finish().bytesPerSecond.reason == "the probe was ended")
    }

    @Test func memoryThatCannotBeHadIsAReason() throws {
        let plan = BandwidthPlan(processors: [0], bytes: 1 << 60)
        #expect(
            try BandwidthProbe(plan).finish().bytesPerSecond.reason
                == "the probe's memory: Cannot allocate memory")
        #expect(throws: Failure.self) { try BandwidthProbe(BandwidthPlan(processors: [], bytes: 1 << 20)) }
    }
}
