import Analysis
import Glibc
import Testing

@testable import Energy

@Suite struct ProcessTests {
    @Test func readsItsOwnMemory() throws {
        let bytes = try #require(ProcessMemory.read(getpid()).value)
        #expect(Set(bytes.keys) == ["rss", "anonymous", "file_mapped", "peak_rss", "swap"])
        let rss = try #require(bytes["rss"])
        #expect(rss > 1_000_000)
        #expect(try #require(bytes["peak_rss"]) >= rss / 2)
    }

    @Test func knownAnswersFromATree() throws {
        let tree = try TemporaryTree()
        try tree.write(
            "Name:\tx\nVmHWM:\t 300 kB\nVmRSS:\t 200 kB\nRssAnon:\t 50 kB\nRssFile:\t 150 kB\nVmSwap:\t 0 kB\n",
            to: "7/status")
        #expect(
            ProcessMemory.read(7, procfs: tree.root).value
                == [
                    "rss": 204_800, "anonymous": 51_200, "file_mapped": 153_600, "peak_rss": 307_200,
                    "swap": 0,
                ])
        let lines = try ProcessMemorySources.open(7, procfs: tree.root).map(\.line)
        #expect(
            lines.map(\.id) == [
                "process:rss", "process:anonymous", "process:file", "process:peak_rss", "process:swap",
            ])
        #expect(lines.allSatisfy { $0.scale == 1024 && $0.quantity == .memory && $0.scope.device == "pid-7" })
    }

    @Test func sharedPagesInPart() throws {
        let tree = try TemporaryTree()
        try tree.write(
            "55f0-7fff ---p 00000000 00:00 0    [rollup]\nRss:   90 kB\nPss:   40 kB\nPss_Dirty:  7 kB\n"
                + "Shared_Clean:   60 kB\nPrivate_Clean:   20 kB\nPrivate_Dirty:   10 kB\n",
            to: "7/smaps_rollup")
        #expect(
            ProcessMemory.rollup(7, procfs: tree.root).value
                == ["pss": 40_960, "shared_clean": 61_440, "private_clean": 20_480, "private_dirty": 10_240])
        #expect(ProcessMemory.rollup(8, procfs: tree.root).reason != nil)
    }

    @Test func absenceHasAReason() throws {
        let tree = try TemporaryTree()
        let missing = ProcessMemory.read(7, procfs: tree.root)
        #expect(missing.reason?.hasSuffix("7/status: No such file or directory") == true)
        try tree.write("Name:\tzombie\nState:\tZ (zombie)\n", to: "8/status")
        #expect(ProcessMemory.read(8, procfs: tree.root).reason?.contains("no memory lines") == true)
        #expect(throws: Failure.self) { try ProcessMemorySources.open(7, procfs: tree.root) }
    }

    /// The descriptor stays bound to the process that was opened, whatever takes its number afterwards.
    @Test func anEndedProcessFailsWithESRCH() throws {
        var pid = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/cat"), nil]
        defer { free(arguments[0]) }
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        posix_spawn_file_actions_addclose(&actions, ends[1])
        defer { posix_spawn_file_actions_destroy(&actions) }
        try #require(posix_spawn(&pid, "/bin/cat", &actions, nil, &arguments, nil) == 0)
        close(ends[0])

        let sampler = try Sampler(interval: Nanoseconds(1_000_000))
        var sources = try ProcessMemorySources.open(pid)
        for index in sources.indices { sources[index].interval = nil }
        _ = try sampler.add(sources)
        try sampler.start()
        close(ends[1])
        var status: Int32 = 0
        #expect(waitpid(pid, &status, 0) == pid)
        var last: SampleLine?
        let deadline = Clock.monotonic() + 20_000_000_000
        while last?.errors[0] != ESRCH, Clock.monotonic() < deadline {
            sampler.drain { last = $0 }
            usleep(1000)
        }
        _ = sampler.stop()
        #expect(last?.values == [nil, nil, nil, nil, nil])
        #expect(last?.errors == [0: ESRCH, 1: ESRCH, 2: ESRCH, 3: ESRCH, 4: ESRCH])
    }
}
