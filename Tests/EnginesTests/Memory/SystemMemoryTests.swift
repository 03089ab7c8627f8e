import Glibc
import Testing

@testable import Engines

@Suite struct SystemMemoryTests {
    private let scratch = ArtifactScratch()

    private func file(_ name: String, _ text: String) { scratch.tree(name, text) }

    private var memory: SystemMemory {
        SystemMemory(procfs: scratch.path + "/proc", cgroups: scratch.path + "/cg")
    }

    @Test func nothingIsKnownOfNothing() {
        #expect(memory.available == nil)
        #expect(memory.bytes.isEmpty)
    }

    @Test func machineAndTightestGroup() {
        file("proc/meminfo", "MemAvailable: 8192 kB\nSwapTotal: 100 kB\nSwapFree: 60 kB\n")
        file("proc/self/cgroup", "0::/a\n")
        #expect(memory.available == 8 << 20)
        #expect(memory.bytes == ["available": 8 << 20, "swap_used": 40 << 10])
        file("cg/a/memory.max", "1000\n")
        file("cg/a/memory.current", "700\n")
        file("cg/a/memory.stat", "inactive_file 100\n")
        let bounded = memory
        #expect(bounded.available == 400)
        #expect(
            bounded.bytes == [
                "available": 8 << 20, "swap_used": 40 << 10, "cgroup_current": 700, "cgroup_max": 1000,
                "cgroup_left": 400,
            ])
        // It is read anew each time, and a group that is gone leaves the machine.
        file("cg/a/memory.current", "1100\n")
        #expect(bounded.available == 0)
        unlink(scratch.path + "/cg/a/memory.current")
        #expect(bounded.available == 8 << 20)
    }

    @Test func swapThatCannotBe() {
        file("proc/meminfo", "MemAvailable: 1 kB\nSwapTotal: 10 kB\nSwapFree: 60 kB\n")
        #expect(memory.bytes == ["available": 1024])
    }
}
