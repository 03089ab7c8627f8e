import Analysis
import Energy
import Engines
import Glibc

/// What looking at memory costs: the governor's look, as often as in a run, and the longer one of the named points.
struct Looks {
    /// Resident in this process while it is looked at: the kernel walks all pages for the longer look.
    private static let mebibytes = 256
    private static let pauseMicroseconds: UInt32 = 250_000

    /// Prints "LOOKS CPU_NS LONGER_LOOKS WALL_NS RESIDENT_BYTES".
    static func run(count: Int) {
        let size = mebibytes << 20
        let pages = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let pages, pages != MAP_FAILED else { exit(1) }
        memset(pages, 1, size)
        let system = SystemMemory()
        let pid = getpid()
        guard let available = system.available,
            var governor = MemoryGovernor(start: MemoryGovernor.Reading(available: available, footprint: 0))
        else { exit(1) }
        var looking: UInt64 = 0
        for _ in 0..<count {
            usleep(pauseMicroseconds)
            let begin = time(CLOCK_THREAD_CPUTIME_ID)
            let reading = MemoryGovernor.Reading(
                available: system.available ?? 0,
                footprint: ProcessMemory.read(pid).value?["anonymous"] ?? 0)
            _ = governor.pollOnce(reading)
            looking += time(CLOCK_THREAD_CPUTIME_ID) - begin
        }
        var longer: UInt64 = 0
        for _ in 0..<count {
            let begin = time(CLOCK_MONOTONIC)
            guard ProcessMemory.rollup(pid).value != nil else { exit(1) }
            longer += time(CLOCK_MONOTONIC) - begin
        }
        print(count, looking, count, longer, ProcessMemory.read(pid).value?["rss"] ?? 0)
        munmap(pages, size)
    }

    private static func time(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { exit(1) }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
