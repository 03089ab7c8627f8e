import Analysis
import FakeNvml
import Glibc
import Testing

@testable import Energy

/// NVML through the library, against a library of our own (Tests/FakeNvml).
@Suite(.enabled(if: FakeNvml.canBeMade, "needs a C compiler"))
struct NvmlTests {
    private let tree: TemporaryTree

    init() throws { tree = try TemporaryTree() }

    private func fake(_ state: String, without missing: [String] = []) throws -> FakeNvml {
        try FakeNvml(in: tree.root, state: state, without: missing)
    }

    private func probe(_ fake: FakeNvml) -> ProbeResult {
        let roots = SystemRoots(sysfs: tree.path("sys"), procfs: tree.path("proc"), nvml: fake.path)
        return Probe.run(roots: roots, power: .nvml)
    }

    private func row(_ result: ProbeResult, _ id: String) -> CapabilitiesLine.Row? {
        result.rows.first { $0.id == id }
    }

    private func line(_ result: ProbeResult, _ id: String) -> SourceLine? {
        result.sources.first { $0.line.id == id }?.line
    }

    private func total(_ result: ProbeResult) -> Total {
        let lines = result.sources.enumerated().map { index, source in
            var line = source.line
            line.index = index
            return line
        }
        return TotalScope(sources: lines).total
    }

    @Test func everythingOfABoard() throws {
        let more = """
            device 0 energy_mj 123456789
            device 0 instant_watts 411.5
            device 0 average_watts 399.25
            """
        let result = probe(try fake(FakeNvml.boards([80], more: more)))
        let nvml = result.sources.filter { $0.line.id.hasPrefix("nvml") }
        let values = Dictionary(uniqueKeysWithValues: try nvml.map { ($0.line.id, try $0.value()) })
        #expect(
            values == [
                "nvml:0": 123_456_789, "nvml:0/power-instant": 411_500, "nvml:0/power-average": 399_250,
                "nvml:0/temperature": 40, "nvml:0/clock-sm": 1980, "nvml:0/clock-memory": 3201,
                "nvml:0/throttle-reasons": 4, "nvml:0/memory-used": 4_519_034_880,
            ])
        #expect(nvml.allSatisfy { $0.line.scope.device == "0000:1a:00.0" && $0.line.pci == "0000:1a:00.0" })
        let counter = try #require(nvml.first?.line)
        #expect(counter.kind == .counter && counter.quantity == .energy && counter.scale == 1e-3)
        #expect(counter.scope.domain == "gpu-board" && counter.limitWatts == 700)
        #expect(counter.updatePeriodNanoseconds == 100_000_000)
        #expect(line(result, "nvml:0/power-average")?.averagingNanoseconds == 1_000_000_000)
        let instant = line(result, "nvml:0/power-instant")
        #expect(instant?.averagingNanoseconds == nil && instant?.interface == "nvml:power-instant")
        #expect(line(result, "nvml:0/clock-sm")?.scale == 1e6)
        #expect(nvml.first { $0.line.id == "nvml:0/temperature" }?.interval == contextInterval)
        // The gauges show the same joules as the counter.
        #expect(total(result).includes == ["nvml:0"])
        #expect(total(result).scope == "GPU only")
    }

    @Test func identityAndProcesses() throws {
        let more = """
            device 0 process 4711 1048576
            device 0 process 4712
            device 0 graphics 815 2048
            device 0 mps 99 1
            device 0 default_limit_mw 500000
            """
        let gpu = try #require(probe(try fake(FakeNvml.boards([80], more: more))).gpus.first)
        #expect(gpu.id == "nvml:0" && gpu.device == "0000:1a:00.0")
        #expect(gpu.name == .known("NVIDIA H200") && gpu.uuid == .known("GPU-00000000"))
        #expect(gpu.vbios == .known("96.00.AA") && gpu.driver == .known("580.95.05"))
        #expect(gpu.powerLimit == .known(Watts(700)) && gpu.isDivided == .known(false))
        let processes = try gpu.processes().get()
        #expect(processes.map(\.pid) == [4711, 4712, 99, 815])
        #expect(processes.map(\.memoryBytes) == [1_048_576, nil, 1, 2048])
        #expect(processes.map(\.computes) == [true, true, true, false])
    }

    /// More than the first question has room for.
    @Test func manyProcesses() throws {
        let list = (1...300).map { "device 0 process \($0) 1" }.joined(separator: "\n")
        let gpu = try #require(probe(try fake(FakeNvml.boards([80], more: list))).gpus.first)
        #expect(try gpu.processes().get().map(\.pid) == Array(1...300))
    }

    @Test func factsThatAreNotToldAreUnavailable() throws {
        let more = """
            device 0 error nvmlDeviceGetUUID 999
            device 0 error nvmlDeviceGetPciInfo_v3 3
            device 0 error nvmlDeviceGetComputeRunningProcesses_v3 4
            """
        let result = probe(try fake(FakeNvml.boards([80], more: more)))
        let gpu = try #require(result.gpus.first)
        #expect(gpu.uuid == .unavailable("nvmlDeviceGetUUID: Unknown Error"))
        #expect(gpu.pci == .unavailable("nvmlDeviceGetPciInfo_v3: Not Supported"))
        #expect(gpu.device == "nvml:0" && line(result, "nvml:0")?.pci == nil)
        guard case .failure(let failure) = gpu.processes() else {
            Issue.record("a list that may not be read was read")
            return
        }
        #expect(failure.errno == EACCES)
        #expect(failure.cause == "list of processes: Insufficient Permissions")
    }

    @Test func severalBoards() throws {
        let result = probe(try fake(FakeNvml.boards([80, 90, 100])))
        #expect(total(result).includes == ["nvml:0", "nvml:1", "nvml:2"])
        #expect(result.gpus.map(\.device) == ["0000:1a:00.0", "0000:2a:00.0", "0000:3a:00.0"])
    }

    /// CASES C14, C15: power stands in for the counter, and the id says which power.
    @Test func withoutACounterPowerIsTheSource() throws {
        let noCounter = "device 0 error nvmlDeviceGetTotalEnergyConsumption 3\n"
        let result = probe(try fake(FakeNvml.boards([80], more: noCounter)))
        #expect(row(result, "nvml:0")?.status == .unsupported)
        #expect(row(result, "nvml:0")?.reason == "nvmlDeviceGetTotalEnergyConsumption: Not Supported")
        #expect(total(result).includes == ["nvml:0/power-instant"])
        #expect(result.sources.first?.interval == Nanoseconds(20_000_000))

        let average = FakeNvml.boards([80], more: noCounter + "device 0 error NVML_FI_DEV_POWER_INSTANT 3")
        #expect(total(probe(try fake(average))).includes == ["nvml:0/power-average"])
    }

    @Test(arguments: [(90, Int64(1_000_000_000)), (86, 1_000_000_000), (80, nil), (75, nil)])
    func theOldQuestionAveragesOnNewBoards(capability: Int, averaging: Int64?) throws {
        let more = """
            device 0 error nvmlDeviceGetTotalEnergyConsumption 3
            device 0 usage_watts 222
            """
        let state = FakeNvml.boards([80], more: more)
            .replacing("device 0 capability 90", with: "device 0 capability \(capability)")
        let result = probe(try fake(state, without: ["nvmlDeviceGetFieldValues"]))
        #expect(total(result).includes == ["nvml:0/power-usage"])
        #expect(line(result, "nvml:0/power-usage")?.averagingNanoseconds == averaging)
        #expect(try result.sources.first?.value() == 222_000)
        #expect(row(result, "nvml:0/power-instant")?.status == .unsupported)
    }

    @Test func dividedBoardsSaySo() throws {
        let state = FakeNvml.boards([80]).replacing("device 0 mig 0", with: "device 0 mig 1")
        let result = probe(try fake(state))
        #expect(result.gpus.first?.isDivided == .known(true))
        #expect((try? result.gpus.first?.processes().get()) == nil)
        #expect(row(result, "nvml:0")?.status == .ok)
        #expect(row(result, "nvml:0")?.reason?.contains("MIG is enabled: counts the whole board") == true)
    }

    /// Grace Hopper: the counter covers the processor too, and is named so.
    @Test func modulesAreNamed() throws {
        let result = probe(try fake(FakeNvml.boards([80], more: "device 0 module_watts 350")))
        #expect(line(result, "nvml:0")?.scope.domain == "gpu-module")
        #expect(line(result, "nvml:0")?.limitWatts == nil)
        #expect(line(result, "nvml:0/power-instant")?.scope.domain == "gpu-board")
        #expect(line(result, "nvml:0/module-power-instant")?.scope.domain == "gpu-module")
        #expect(row(result, "nvml:0")?.reason?.contains("whole module") == true)
        #expect(total(result).includes == ["nvml:0"])
        #expect(total(result).scope == "GPU module only")
    }

    @Test(arguments: [
        (9, SourceLine.Status.absent, "Driver Not Loaded", "modprobe nvidia"),
        (4, .noPermission, "Insufficient Permissions", "/dev/nvidiactl"),
        (18, .dead, "version mismatch", "reboot"), (999, .dead, "Unknown Error", ""),
    ])
    func aLibraryThatDoesNotStart(
        code: Int, status: SourceLine.Status, reason: String, remedy: String
    ) throws {
        let result = probe(try fake("error nvmlInit_v2 \(code)"))
        let found = try #require(row(result, "nvml"))
        #expect(found.status == status)
        #expect(found.reason?.contains(reason) == true, "\(found.reason ?? "")")
        #expect(remedy.isEmpty ? found.remedy == nil : found.remedy?.contains(remedy) == true)
        #expect(result.gpus.isEmpty && !result.hasEnergy)
    }

    @Test func noLibrary() throws {
        let roots = SystemRoots(
            sysfs: tree.path("sys"), procfs: tree.path("proc"), nvml: tree.path("nowhere.so"))
        let found = try #require(Probe.run(roots: roots, power: .nvml).rows.first { $0.id == "nvml" })
        #expect(found.status == .absent && found.reason?.contains("No such file") == true)
        #expect(found.remedy == nil)
        // With a board on the bus, or a driver that the container does not pass on, it is of interest.
        try tree.write("0x10de\n", to: "sys/bus/pci/devices/0000:1a:00.0/vendor")
        try tree.write("0x030200\n", to: "sys/bus/pci/devices/0000:1a:00.0/class")
        let board = Probe.run(roots: roots, power: .nvml).rows.first { $0.id == "nvml" }
        #expect(board?.remedy?.contains("driver") == true)
        try tree.write("NVRM version: 580.95.05\n", to: "proc/driver/nvidia/version")
        let container = Probe.run(roots: roots, power: .nvml).rows.first { $0.id == "nvml" }
        #expect(container?.remedy?.contains("--gpus all") == true)
    }

    @Test func somethingElseInItsPlace() throws {
        let path = try tree.write("no library\n", to: "libnvidia-ml.so.1")
        let roots = SystemRoots(sysfs: tree.path("sys"), procfs: tree.path("proc"), nvml: path)
        let found = Probe.run(roots: roots, power: .nvml).rows.first { $0.id == "nvml" }
        #expect(found?.status == .absent && found?.reason?.contains(path) == true)
    }

    @Test(arguments: ["nvmlInit_v2", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2"])
    func aFunctionThatNothingWorksWithout(name: String) throws {
        let found = row(probe(try fake(FakeNvml.boards([80]), without: [name])), "nvml")
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
        let result = probe(try fake(FakeNvml.boards([80]), without: missing))
        #expect(row(result, "nvml:0")?.status == .unsupported)
        #expect(row(result, "nvml:0")?.reason == "nvmlDeviceGetTotalEnergyConsumption: NVML code 13")
        #expect(row(result, "nvml:0/memory-used")?.status == .unsupported)
        // The older name of the same question.
        #expect(line(result, "nvml:0/throttle-reasons") != nil)
        #expect(total(result).includes == ["nvml:0/power-instant"])
        #expect(result.gpus.first?.isDivided.value == nil)
        #expect((try? result.gpus.first?.processes().get()) == nil)
    }

    @Test func noBoard() throws {
        let result = probe(try fake("count 0"))
        #expect(row(result, "nvml")?.status == .absent)
        #expect(row(result, "nvml")?.reason == "the driver shows no GPU")
    }

    @Test func aLostBoardHidesNoOther() throws {
        let more = """
            device 0 error nvmlDeviceGetHandleByIndex_v2 15
            device 1 lost
            """
        let result = probe(try fake(FakeNvml.boards([80, 90, 100], more: more)))
        #expect(row(result, "nvml:0")?.status == .dead)
        #expect(row(result, "nvml:0")?.reason == "nvmlDeviceGetHandleByIndex_v2: GPU is lost")
        #expect(row(result, "nvml:0")?.remedy?.contains("nvidia-smi --gpu-reset -i 0") == true)
        #expect(row(result, "nvml:1")?.status == .dead)
        #expect(row(result, "nvml:1")?.remedy?.contains("-i 1") == true)
        #expect(total(result).includes == ["nvml:2"])
    }

    @Test func aBoardThatIsLostWhileItIsRead() throws {
        let states = [FakeNvml.boards([80, 90]), FakeNvml.boards([80, 90], more: "device 0 lost")]
        let library = try fake(states[0])
        let result = probe(library)
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
        let result = probe(
            try fake(FakeNvml.boards([80], more: "device 0 energy_mj 18446744073709551615")))
        #expect(row(result, "nvml:0")?.status == .unsupported)
        #expect(row(result, "nvml:0")?.reason?.hasSuffix("a number beyond 63 bits") == true)
    }

    @Test func onlyWhereItIsAskedFor() throws {
        let library = try fake(FakeNvml.boards([80]))
        let roots = SystemRoots(sysfs: tree.path("sys"), procfs: tree.path("proc"), nvml: library.path)
        for power in [PowerSelection.none, .rapl, .hwmon] {
            let result = Probe.run(roots: roots, power: power)
            #expect(result.gpus.isEmpty && !result.rows.contains { $0.id.hasPrefix("nvml") })
        }
        #expect(Probe.run(roots: roots, power: .auto).gpus.count == 1)
        #expect(!Probe.run(roots: roots, power: .nvml).rows.contains { $0.id == "rapl" })
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
