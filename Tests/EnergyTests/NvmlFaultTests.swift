import Analysis
import FakeNvml
import Glibc
import Testing

@testable import Energy

/// What becomes of a library, a driver or a board that does not do its work.
@Suite(.enabled(if: FakeNvml.canBeMade, "needs a C compiler"))
struct NvmlFaultTests {
    private let probe: NvmlProbe

    init() throws { probe = try NvmlProbe() }

    @Test(arguments: [
        (9, SourceLine.Status.absent, "Driver Not Loaded", "modprobe nvidia"),
        (4, .noPermission, "Insufficient Permissions", "/dev/nvidiactl"),
        (18, .dead, "version mismatch", "reboot"), (999, .dead, "Unknown Error", ""),
    ])
    func aLibraryThatDoesNotStart(
        code: Int, status: SourceLine.Status, reason: String, remedy: String
    ) throws {
        let result = probe.run(try probe.fake("error nvmlInit_v2 \(code)"))
        let found = try #require(probe.row(result, "nvml"))
        #expect(found.status == status)
        #expect(found.reason?.contains(reason) == true, "\(found.reason ?? "")")
        #expect(remedy.isEmpty ? found.remedy == nil : found.remedy?.contains(remedy) == true)
        #expect(result.gpus.isEmpty && !result.hasEnergy)
    }

    @Test func noLibrary() throws {
        let roots = SystemRoots(
            sysfs: probe.tree.path("sys"), procfs: probe.tree.path("proc"),
            nvml: probe.tree.path("nowhere.so"))
        let found = try #require(Probe.run(roots: roots, power: .nvml).rows.first { $0.id == "nvml" })
        #expect(found.status == .absent && found.reason?.contains("No such file") == true)
        #expect(found.remedy == nil)
        // With a board on the bus, or a driver that the container does not pass on, it is of interest.
        try probe.tree.write("0x10de\n", to: "sys/bus/pci/devices/0000:1a:00.0/vendor")
        try probe.tree.write("0x030200\n", to: "sys/bus/pci/devices/0000:1a:00.0/class")
        let board = Probe.run(roots: roots, power: .nvml).rows.first { $0.id == "nvml" }
        #expect(board?.remedy?.contains("driver") == true)
        try probe.tree.write("NVRM version: 580.95.05\n", to: "proc/driver/nvidia/version")
        let container = Probe.run(roots: roots, power: .nvml).rows.first { $0.id == "nvml" }
        #expect(container?.remedy?.contains("--gpus all") == true)
    }

    @Test func somethingElseInItsPlace() throws {
        let path = try probe.tree.write("no library\n", to: "libnvidia-ml.so.1")
        let roots = SystemRoots(sysfs: probe.tree.path("sys"), procfs: probe.tree.path("proc"), nvml: path)
        let found = Probe.run(roots: roots, power: .nvml).rows.first { $0.id == "nvml" }
        #expect(found?.status == .absent && found?.reason?.contains(path) == true)
    }

    @Test(arguments: ["nvmlInit_v2", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2"])
    func aFunctionThatNothingWorksWithout(name: String) throws {
        let found = probe.row(probe.run(try probe.fake(FakeNvml.boards([80]), without: [name])), "nvml")
        #expect(found?.status == .unsupported)
        #expect(found?.reason?.hasSuffix("has no \(name)") == true, "\(found?.reason ?? "")")
    }

    /// An old driver: what it has is measured, the rest are rows.
    @Test func functionsThatAreMissing() throws {
        let missing = [
            "nvmlDeviceGetTotalEnergyConsumption", "nvmlDeviceGetCurrentClocksEventReasons",
            "nvmlDeviceGetMigMode", "nvmlDeviceGetMemoryInfo", "nvmlDeviceGetComputeRunningProcesses_v3",
            "nvmlErrorString",
        ]
        let result = probe.run(try probe.fake(FakeNvml.boards([80]), without: missing))
        #expect(probe.row(result, "nvml:0")?.status == .unsupported)
        #expect(probe.row(result, "nvml:0")?.reason == "nvmlDeviceGetTotalEnergyConsumption: NVML code 13")
        #expect(probe.row(result, "nvml:0/memory-used")?.status == .unsupported)
        // The older name of the same question.
        #expect(probe.line(result, "nvml:0/throttle-reasons") != nil)
        #expect(probe.total(result).includes == ["nvml:0/power-instant"])
        #expect(result.gpus.first?.isDivided.value == nil)
        #expect((try? result.gpus.first?.processes().get()) == nil)
    }

    @Test func noBoard() throws {
        let result = probe.run(try probe.fake("count 0"))
        #expect(probe.row(result, "nvml")?.status == .absent)
        #expect(probe.row(result, "nvml")?.reason == "the driver shows no GPU")
    }

    @Test func aLostBoardHidesNoOther() throws {
        let more = """
            device 0 error nvmlDeviceGetHandleByIndex_v2 15
            device 1 lost
            """
        let result = probe.run(try probe.fake(FakeNvml.boards([80, 90, 100], more: more)))
        #expect(probe.row(result, "nvml:0")?.status == .dead)
        #expect(probe.row(result, "nvml:0")?.reason == "nvmlDeviceGetHandleByIndex_v2: GPU is lost")
        #expect(probe.row(result, "nvml:0")?.remedy?.contains("nvidia-smi --gpu-reset -i 0") == true)
        #expect(probe.row(result, "nvml:1")?.status == .dead)
        #expect(probe.row(result, "nvml:1")?.remedy?.contains("-i 1") == true)
        #expect(probe.total(result).includes == ["nvml:2"])
    }

    @Test func aBoardThatIsLostWhileItIsRead() throws {
        let states = [FakeNvml.boards([80, 90]), FakeNvml.boards([80, 90], more: "device 0 lost")]
        let library = try probe.fake(states[0])
        let result = probe.run(library)
        let sampler = try Sampler(interval: Nanoseconds(10_000_000))
        let lines = try sampler.add(result.sources.filter { $0.line.quantity == .energy })
        #expect(lines.map(\.id) == ["nvml:0", "nvml:1"])
        try sampler.start()
        var samples: [SampleLine] = []
        func wait(until isThere: (SampleLine) -> Bool) {
            for _ in 0..<2000 where !samples.contains(where: isThere) {
                usleep(10_000)
                sampler.drain { samples.append($0) }
            }
        }
        wait { $0.values.count == 2 && $0.errors.isEmpty }
        try library.set(states[1])
        wait { $0.errors == [0: EIO] && $0.values.count == 2 && $0.values[1] != nil }
        try library.set(states[0])
        let lost = samples.count
        wait { sample in sample.errors.isEmpty && samples.dropFirst(lost).contains(sample) }
        _ = sampler.stop()
        #expect(samples.contains { $0.errors == [0: EIO] && $0.values[0] == nil && $0.values[1] != nil })
        #expect(samples.dropFirst(lost).contains { $0.errors.isEmpty && $0.values[0] != nil })
    }

    @Test func aNumberBeyondTheSampler() throws {
        let result = probe.run(
            try probe.fake(FakeNvml.boards([80], more: "device 0 energy_mj 18446744073709551615")))
        #expect(probe.row(result, "nvml:0")?.status == .unsupported)
        #expect(probe.row(result, "nvml:0")?.reason?.hasSuffix("a number beyond 63 bits") == true)
    }

    @Test(arguments: [
        (0, Int32(0)), (2, EINVAL), (3, ENOTSUP), (4, EACCES), (6, ENODEV), (9, ENXIO), (10, ETIMEDOUT),
        (13, ENOSYS), (15, EIO), (16, EIO), (18, ELIBBAD), (21, ENODATA), (999, EIO), (-1, EIO),
    ])
    func codesAsErrno(code: Int, errno: Int32) {
        let failure = NvmlFailure(code: Int32(code), function: "f", text: "t")
        #expect(failure.errno == errno)
    }
}
