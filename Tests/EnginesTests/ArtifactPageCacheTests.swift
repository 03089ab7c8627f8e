import Analysis
import Glibc
import Testing

@testable import Engines

@Suite("Page cache")
struct ArtifactPageCacheTests {
    let scratch = ArtifactScratch()

    /// Whether dropping pages can be seen here: not on file systems in memory, not where mincore is missing.
    static let canDrop: Bool = {
        let scratch = ArtifactScratch()
        return PageCache.drop([scratch.file("probe", [UInt8](repeating: 1, count: 1 << 20))]).after
            == .known(0)
    }()

    @Test("a file that was just written is resident, then gone", .enabled(if: canDrop))
    func drops() {
        let path = scratch.file("f", [UInt8](repeating: 1, count: (4 << 20) + 1))
        #expect(PageCache.residency([path]) == .known(1))
        let drop = PageCache.drop([path])
        #expect(drop.before == .known(1))
        #expect(drop.after == .known(0))
        #expect(drop.failure == nil)
    }

    @Test("one of two files", .enabled(if: canDrop))
    func share() {
        let page = sysconf(Int32(_SC_PAGESIZE))
        let first = scratch.file("a", [UInt8](repeating: 1, count: page))
        let second = scratch.file("b", [UInt8](repeating: 1, count: 3 * page))
        _ = PageCache.drop([second])
        #expect(PageCache.residency([first, second]) == .known(0.25))
    }

    @Test("pages that someone has mapped stay", .enabled(if: canDrop))
    func mapped() {
        let bytes = 1 << 20
        let path = scratch.file("f", [UInt8](repeating: 1, count: bytes))
        _ = PageCache.drop([path])
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        let address = mmap(nil, bytes, PROT_READ, MAP_SHARED | Int32(MAP_POPULATE), descriptor, 0)
        #expect(address != MAP_FAILED)
        defer { munmap(address, bytes) }
        let drop = PageCache.drop([path])
        #expect(drop.before == .known(1))
        #expect(drop.after == .known(1))
        #expect(drop.failure == nil)
    }

    /// Elsewhere it may be a disk's.
    static let hasMemoryFiles: Bool = {
        let mounts = String(decoding: smallFile("/proc/self/mounts") ?? [], as: UTF8.self)
        return mounts.contains(" /dev/shm tmpfs ") && access("/dev/shm", W_OK) == 0
    }()

    @Test("a file system in memory is named", .enabled(if: hasMemoryFiles))
    func inMemory() throws {
        let path = "/dev/shm/sustain-test-\(getpid())"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        try #require(descriptor >= 0)
        defer {
            close(descriptor)
            unlink(path)
        }
        #expect(write(descriptor, [UInt8](repeating: 1, count: 1 << 16), 1 << 16) == 1 << 16)
        let drop = PageCache.drop([path])
        #expect(drop.failure?.cause == "its file system keeps files in memory")
        #expect(drop.after == .known(1))
    }

    @Test("who does not own the file cannot tell", .enabled(if: geteuid() == 0))
    func notOwner() throws {
        let path = scratch.file("f", [UInt8](repeating: 1, count: 1 << 16))
        #expect(chmod(scratch.path, 0o755) == 0)
        #expect(chown(path, 12_345, 12_345) == 0)
        let residency = try asNobody { PageCache.residency([path]) }
        #expect(residency.reason?.hasPrefix("cannot tell") == true)
    }

    @Test("empty and missing files")
    func none() {
        #expect(PageCache.residency([scratch.file("empty")]).value == nil)
        let missing = scratch.path + "/none"
        #expect(PageCache.residency([missing]) == .unavailable("no such file"))
        let drop = PageCache.drop([missing])
        #expect(drop.failure?.errno == ENOENT)
        #expect(drop.after.value == nil)
    }
}
