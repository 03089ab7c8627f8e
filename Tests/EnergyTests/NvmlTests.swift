import Analysis
import FakeNvml
import Glibc
import Testing

@testable import Energy

/// NVML through the library, against a library of our own (Tests/FakeNvml).
@Suite(.enabled(if: FakeNvml.canBeMade, "needs a C compiler"))
struct NvmlTests {
    private let probe: NvmlProbe

    init() throws { probe = try NvmlProbe() }

    @Test func everythingOfABoard() throws {
        let more = """
            device 0 energy_mj 123456789
            device 0 instant_watts 411.5
            device 0 average_watts 399.25
            """
        let result = probe.run(try probe.fake(FakeNvml.boards([80], more: more)))
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
        #expect(probe.line(result, "nvml:0/power-average")?.averagingNanoseconds == 1_000_000_000)
        let instant = probe.line(result, "nvml:0/power-instant")
        #expect(instant?.averagingNanoseconds == nil && instant?.interface == "nvml:power-instant")
        #expect(probe.line(result, "nvml:0/clock-sm")?.scale == 1e6)
        #expect(nvml.first { $0.line.id == "nvml:0/temperature" }?.interval == contextInterval)
        // The gauges show the same joules as the counter.
        #expect(probe.total(result).includes == ["nvml:0"])
        #expect(probe.total(result).scope == "GPU only")
    }

    @Test func identityAndProcesses() throws {
        let more = """
            device 0 process 4711 1048576
            device 0 process 4712
            device 0 graphics 815 2048
            device 0 mps 99 1
            device 0 default_limit_mw 500000
            """
        let gpu = try #require(probe.run(try probe.fake(FakeNvml.boards([80], more: more))).gpus.first)
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
        let gpu = try #require(probe.run(try probe.fake(FakeNvml.boards([80], more: list))).gpus.first)
        #expect(try gpu.processes().get().map(\.pid) == Array(1...300))
    }

    @Test func factsThatAreNotToldAreUnavailable() throws {
        let more = """
            device 0 error nvmlDeviceGetUUID 999
            device 0 error nvmlDeviceGetPciInfo_v3 3
            device 0 error nvmlDeviceGetComputeRunningProcesses_v3 4
            """
        let result = probe.run(try probe.fake(FakeNvml.boards([80], more: more)))
        let gpu = try #require(result.gpus.first)
        #expect(gpu.uuid == .unavailable("nvmlDeviceGetUUID: Unknown Error"))
        #expect(gpu.pci == .unavailable("nvmlDeviceGetPciInfo_v3: Not Supported"))
        #expect(gpu.device == "nvml:0" && probe.line(result, "nvml:0")?.pci == nil)
        guard case .failure(let failure) = gpu.processes() else {
            Issue.record("a list that may not be read was read")
            return
        }
        #expect(failure.errno == EACCES)
        #expect(failure.cause == "list of processes: Insufficient Permissions")
    }

    @Test func severalBoards() throws {
        let result = probe.run(try probe.fake(FakeNvml.boards([80, 90, 100])))
        #expect(probe.total(result).includes == ["nvml:0", "nvml:1", "nvml:2"])
        #expect(result.gpus.map(\.device) == ["0000:1a:00.0", "0000:2a:00.0", "0000:3a:00.0"])
    }

    /// CASES C14, C15: power stands in for the counter, and the id says which power.
    @Test func withoutACounterPowerIsTheSource() throws {
        let noCounter = "device 0 error nvmlDeviceGetTotalEnergyConsumption 3\n"
        let result = probe.run(try probe.fake(FakeNvml.boards([80], more: noCounter)))
        #expect(probe.row(result, "nvml:0")?.status == .unsupported)
        #expect(probe.row(result, "nvml:0")?.reason == "nvmlDeviceGetTotalEnergyConsumption: Not Supported")
        #expect(probe.total(result).includes == ["nvml:0/power-instant"])
        #expect(result.sources.first?.interval == Nanoseconds(20_000_000))

        let average = FakeNvml.boards([80], more: noCounter + "device 0 error NVML_FI_DEV_POWER_INSTANT 3")
        #expect(probe.total(probe.run(try probe.fake(average))).includes == ["nvml:0/power-average"])
    }

    @Test(arguments: [(90, Int64(1_000_000_000)), (86, 1_000_000_000), (80, nil), (75, nil)])
    func theOldQuestionAveragesOnNewBoards(capability: Int, averaging: Int64?) throws {
        let more = """
            device 0 error nvmlDeviceGetTotalEnergyConsumption 3
            device 0 usage_watts 222
            """
        let state = FakeNvml.boards([80], more: more)
            .replacing("device 0 capability 90", with: "device 0 capability \(capability)")
        let result = probe.run(try probe.fake(state, without: ["nvmlDeviceGetFieldValues"]))
        #expect(probe.total(result).includes == ["nvml:0/power-usage"])
        #expect(probe.line(result, "nvml:0/power-usage")?.averagingNanoseconds == averaging)
        #expect(try result.sources.first?.value() == 222_000)
        #expect(probe.row(result, "nvml:0/power-instant")?.status == .unsupported)
    }

    @Test func dividedBoardsSaySo() throws {
        let state = FakeNvml.boards([80]).replacing("device 0 mig 0", with: "device 0 mig 1")
        let result = probe.run(try probe.fake(state))
        #expect(result.gpus.first?.isDivided == .known(true))
        #expect((try? result.gpus.first?.processes().get()) == nil)
        #expect(probe.row(result, "nvml:0")?.status == .ok)
        #expect(
            probe.row(result, "nvml:0")?.reason?.contains("MIG is enabled: counts the whole board") == true)
    }

    /// Grace Hopper: the counter covers the processor too, and is named so.
    @Test func modulesAreNamed() throws {
        let result = probe.run(try probe.fake(FakeNvml.boards([80], more: "device 0 module_watts 350")))
        #expect(probe.line(result, "nvml:0")?.scope.domain == "gpu-module")
        #expect(probe.line(result, "nvml:0")?.limitWatts == nil)
        #expect(probe.line(result, "nvml:0/power-instant")?.scope.domain == "gpu-board")
        #expect(probe.line(result, "nvml:0/module-power-instant")?.scope.domain == "gpu-module")
        #expect(probe.row(result, "nvml:0")?.reason?.contains("whole module") == true)
        #expect(probe.total(result).includes == ["nvml:0"])
        #expect(probe.total(result).scope == "GPU module only")
    }

    @Test func onlyWhereItIsAskedFor() throws {
        let library = try probe.fake(FakeNvml.boards([80]))
        let roots = SystemRoots(
            sysfs: probe.tree.path("sys"), procfs: probe.tree.path("proc"), nvml: library.path)
        for power in [PowerSelection.none, .rapl, .hwmon] {
            let result = Probe.run(roots: roots, power: power)
            #expect(result.gpus.isEmpty && !result.rows.contains { $0.id.hasPrefix("nvml") })
        }
        #expect(Probe.run(roots: roots, power: .auto).gpus.count == 1)
        #expect(!Probe.run(roots: roots, power: .nvml).rows.contains { $0.id == "rapl" })
    }
}
