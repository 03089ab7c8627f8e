import Analysis
import Glibc
import Testing

@testable import Engines

@Suite("Limits of memory")
struct MemoryLimitTests {
    private let scratch = ArtifactScratch()

    private func file(_ name: String, _ text: String) { scratch.tree(name, text) }

    private func machine(available: String? = "8388608", membership: String = "0::/a/b\n") {
        let line = available.map { "MemAvailable:   \($0) kB\n" } ?? ""
        file("proc/meminfo", "MemTotal:       16777216 kB\n\(line)SwapFree: 0 kB\n")
        file("proc/self/cgroup", membership)
    }

    private func read(own: UInt64 = 0) -> MemoryLimit? {
        MemoryLimit.read(procfs: scratch.path + "/proc", cgroups: scratch.path + "/cg", ownBytes: own)
    }

    @Test("live: what the kernel calls available, less the reserve, more what is held already")
    func live() throws {
        machine()
        let limit = try #require(read(own: 1 << 20))
        #expect(limit.origin == .live)
        #expect(limit.availableBytes == 8 << 30)
        #expect(limit.bytes == (8 << 30) + (1 << 20) - (512 << 20))
    }

    @Test("a group's limit is less what it holds, file pages taken for free")
    func group() throws {
        machine()
        file("cg/a/b/memory.max", "2147483648\n")
        file("cg/a/b/memory.high", "max\n")
        file("cg/a/b/memory.current", "1610612736\n")
        file("cg/a/b/memory.stat", "anon 1\nactive_file 268435456\ninactive_file 268435456\nfile 9\n")
        let limit = try #require(read())
        #expect(limit.origin == .cgroup)
        #expect(limit.availableBytes == 1 << 30)
        #expect(limit.source == scratch.path + "/cg/a/b")
    }

    @Test("the tightest group up the tree counts, and high as well as max")
    func tree() throws {
        machine()
        file("cg/a/b/memory.max", "max\n")
        file("cg/a/b/memory.current", "0\n")
        file("cg/a/memory.max", "4294967296\n")
        file("cg/a/memory.high", "3221225472\n")
        file("cg/a/memory.current", "0\n")
        let limit = try #require(read())
        #expect(limit.availableBytes == 3 << 30)
        #expect(limit.source == scratch.path + "/cg/a")
    }

    @Test("a group that leaves more than there is changes nothing")
    func wideGroup() throws {
        machine()
        file("cg/a/b/memory.max", "17179869184\n")
        file("cg/a/b/memory.current", "0\n")
        #expect(try #require(read()).origin == .live)
    }

    @Test("a full group leaves nothing, not a negative number")
    func full() throws {
        machine()
        file("cg/a/b/memory.max", "1048576\n")
        file("cg/a/b/memory.current", "2097152\n")
        let limit = try #require(read())
        #expect(limit.availableBytes == 0)
        #expect(limit.bytes == 0)
    }

    @Test("version 1, its number for no limit, and a container's root")
    func version1() throws {
        machine(membership: "4:cpu,memory:/docker/abc\n0::/\n")
        file("cg/memory/memory.limit_in_bytes", "1073741824\n")
        file("cg/memory/memory.usage_in_bytes", "536870912\n")
        file("cg/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 268435456\ntotal_active_file 0\n")
        let limit = try #require(read())
        #expect(limit.origin == .cgroup)
        #expect(limit.availableBytes == 768 << 20)
        file("cg/memory/memory.limit_in_bytes", "9223372036854771712\n")
        #expect(try #require(read()).origin == .live)
    }

    @Test("static where nothing tells what is available")
    func staticLimit() throws {
        machine(available: nil)
        let limit = try #require(read())
        #expect(limit.origin == .static)
        #expect(limit.availableBytes == 16 << 30)
    }

    @Test("garbage is no limit")
    func garbage() throws {
        machine()
        file("cg/a/b/memory.max", "many\n")
        file("cg/a/b/memory.current", "some\n")
        #expect(try #require(read()).origin == .live)
        #expect(MemoryReadings.meminfo("MemAvailable: x kB", "MemAvailable") == nil)
        #expect(MemoryReadings.meminfo("MemAvailable: 18446744073709551615 kB", "MemAvailable") == .max)
    }

    @Test("of this machine something is known")
    func here() throws {
        let limit = try #require(MemoryLimit.read())
        #expect(limit.availableBytes > 0)
    }
}
