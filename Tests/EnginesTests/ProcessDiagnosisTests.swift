import Analysis
import CHost
import Glibc
import Testing

@testable import Engines

/// The explanation of an end, from made-up evidence.
@Suite struct ProcessDiagnosisTests {
    private static func exit(
        status: Int32 = -1, signal: Int32 = 0, step: WorkerExit.Step = .none,
        group: (UInt64?, UInt64?) = (nil, nil),
        machine: (UInt64?, UInt64?) = (0, 0), log: String = "", peakKiB: Int64 = 100_000, parent: UInt64? = 1
    ) -> WorkerExit {
        let end = chost_end(
            status: status, signal: signal, dumped_core: 0, peak_rss_kib: peakKiB, user_ns: 5, system_ns: 7)
        return WorkerExit(
            end,
            WorkerExit.Evidence(
                step: step, before: OutOfMemoryCounters(controlGroup: group.0, machine: machine.0),
                after: OutOfMemoryCounters(controlGroup: group.1, machine: machine.1),
                logTail: Array(log.utf8),
                parentResidentBytes: parent))
    }

    @Test func aKillByTheOOMKillerOfTheGroupIsCertain() {
        let exit = Self.exit(signal: 9, group: (1, 2), machine: (5, 6))
        #expect(exit.kind == .oomKill)
        #expect(
            exit.cause == "SIGKILL: the kernel's OOM killer (oom_kill of the control group went from 1 to 2)")
    }

    @Test func aKillElsewhereOnTheMachineIsAGuess() {
        let exit = Self.exit(signal: 9, group: (1, 1), machine: (5, 6))
        #expect(exit.kind == .oomKill)
        #expect(exit.cause.hasPrefix("SIGKILL: perhaps the kernel's OOM killer"))
    }

    @Test func withoutCountersItIsAGuessToo() {
        let exit = Self.exit(signal: 9, machine: (nil, nil))
        #expect(exit.kind == .killed)
        #expect(exit.cause == "SIGKILL: perhaps the kernel's OOM killer (its counters cannot be read)")
    }

    @Test func withoutAnOOMKillItCameFromOutside() {
        let exit = Self.exit(signal: 9, group: (3, 3), machine: (5, 5))
        #expect(exit.kind == .killed)
        #expect(exit.cause.contains("the kernel counted no OOM kill"))
    }

    @Test func ourOwnSignalsAreNotTheWorkersFault() {
        #expect(Self.exit(signal: 15, step: .terminate).kind == .forced)
        #expect(Self.exit(signal: 9, step: .kill, group: (1, 2)).kind == .forced)
        // A crash on the way out is a crash all the same.
        #expect(Self.exit(signal: 11, step: .terminate).kind == .signal)
        #expect(Self.exit(signal: 15, step: .none).cause == "SIGTERM (terminated)")
    }

    @Test func anEndInOrderNeedsNoExplanation() {
        let exit = Self.exit(status: 0, step: .quit, log: "CUDA error: out of memory\n")
        #expect(exit.kind == .inOrder)
        #expect(exit.cause == "exit status 0")
        #expect(exit.cpuTime == .known(Nanoseconds(12)))
    }

    @Test func theDevicesComplaintIsFoundInTheLog() {
        let log = "load\nggml_backend_cuda: cudaMalloc failed: out of memory\nunable to load\n"
        let exit = Self.exit(status: 1, log: log)
        #expect(exit.kind == .deviceOutOfMemory)
        #expect(
            exit.cause
                == "exit status 1; its log says \"ggml_backend_cuda: cudaMalloc failed: out of memory\"")
    }

    static let complaints: [(line: String, kind: MemoryComplaint.Kind?)] = [
        ("terminate called after throwing an instance of 'std::bad_alloc'", .badAllocation),
        ("vk::Device::allocateMemory: ErrorOutOfDeviceMemory", .device),
        ("ROCm error: out of memory", .device),
        ("hipMalloc: out of memory", .device),
        ("mmap failed: Cannot allocate memory", .unspecified),
        ("failed to allocate buffer for kv cache", .unspecified),
        ("this chip is out of memory", .unspecified),
        ("everything is well", nil),
        ("", nil),
    ]

    @Test(arguments: complaints.indices)
    func complaintsAreTold(_ index: Int) {
        let complaint = MemoryComplaint.last(in: Array(Self.complaints[index].line.utf8))
        #expect(complaint?.kind == Self.complaints[index].kind)
    }

    @Test func theLastComplaintCountsAndIsCutShort() {
        let log =
            "std::bad_alloc\n" + String(repeating: "x", count: 100) + " out of memory "
            + String(repeating: "y", count: 500)
        let complaint = MemoryComplaint.last(in: Array(log.utf8) + [0xFF])
        #expect(complaint?.kind == .unspecified)
        #expect(complaint?.line.count == 160)
    }

    @Test func aPeakBelowTheParentsSizeIsUnavailable() {
        #expect(Self.exit(status: 0, peakKiB: 100, parent: 102_399).peakResidentBytes == .known(102_400))
        #expect(
            Self.exit(status: 0, peakKiB: 100, parent: 102_400).peakResidentBytes
                == .unavailable("not above the size of sustain at the start"))
        #expect(Self.exit(status: 0, peakKiB: 0).peakResidentBytes.value == nil)
        #expect(Self.exit(status: 0, parent: nil).peakResidentBytes.value == nil)
    }

    @Test func aSignalWithoutANameHasItsNumber() {
        #expect(Self.exit(signal: 40).cause == "signal 40")
        #expect(Self.exit(signal: 31).cause == "SIGSYS (forbidden system call)")
    }
}

/// Where the kernel's counters are looked for.
@Suite struct ProcessOutOfMemoryCounterTests {
    @Test func theGroupsOwnFileComesFirst() throws {
        let tree = try ScratchDirectory()
        for directory in ["proc", "proc/self", "cg", "cg/user.slice", "cg/user.slice/a b"] {
            #expect(mkdir(tree.path + "/" + directory, 0o755) == 0)
        }
        _ = try tree.file("proc/self/cgroup", "0::/user.slice/a b\n")
        _ = try tree.file("proc/vmstat", "pgfault 7\noom_kill 12\n")
        _ = try tree.file("cg/memory.events", "oom_kill 99\n")
        let events = try tree.file(
            "cg/user.slice/a b/memory.events", "low 0\noom 4\noom_kill 3\noom_group_kill 1\n")
        let counters = OutOfMemoryCounters.read(procfs: tree.path + "/proc", cgroups: tree.path + "/cg")
        #expect(counters == OutOfMemoryCounters(controlGroup: 3, machine: 12))

        // In a container the host's path does not exist and the root is the group.
        #expect(unlink(events) == 0)
        let contained = OutOfMemoryCounters.read(procfs: tree.path + "/proc", cgroups: tree.path + "/cg")
        #expect(contained.controlGroup == 99)
    }

    @Test func versionOneHasItsOwnFile() {
        let membership = Array("4:cpu:/x\n9:memory,hugetlb:/job:1\n0::/\n".utf8)
        #expect(
            OutOfMemoryCounters.eventFiles(membership: membership, cgroups: "/cg") == [
                "/cg/memory/job:1/memory.oom_control", "/cg/memory/memory.oom_control", "/cg/memory.events",
                "/cg/unified/memory.events", "/cg/memory.events",
            ])
    }

    @Test func nothingReadableIsNoCount() throws {
        let tree = try ScratchDirectory()
        #expect(
            OutOfMemoryCounters.read(procfs: tree.path, cgroups: tree.path)
                == OutOfMemoryCounters(controlGroup: nil, machine: nil))
    }
}
