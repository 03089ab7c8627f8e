import Analysis
import FakeNvml
import Foundation
import TestSupport
import Testing

/// Whether the tests run outside containers (kernel include/linux/proc_ns.h, PROC_PID_INIT_INO).
private let processIdsAreVisible =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")) == "pid:[4026531836]"

/// NVIDIA's boards through the command line, on a library of our own (Tests/FakeNvml).
@Suite(.enabled(if: FakeNvml.canBeMade, "needs a C compiler"))
struct GPUTests {
    /// The driver lists the engine on the first board.
    private static let mine = "device 0 process child 1000"

    private func scripted(_ state: String, script: String = "{}") throws -> (ScriptedRun, FakeNvml) {
        var run = try ScriptedRun(script)
        let library = try FakeNvml(in: run.workplace.url.path, state: state)
        run.environment["SUSTAIN_NVML"] = library.path
        run.arguments = [
            "--seconds", "2", "--idle", "0", "-p", "8", "-n", "26", "--warmup", "0", "--power", "nvml",
        ]
        return (run, library)
    }

    /// - Parameter idle: seconds of each idle window, or 0 for none; a board's are 2.4 s at least.
    private func record(
        _ state: String, script: String = "{}", seconds: Int = 2, idle: Int = 0
    ) throws -> Record {
        let (run, library) = try scripted(state, script: script)
        let ended = try withExtendedLifetime(library) {
            try run.run(["--seconds", "\(seconds)", "--idle", "\(idle)"])
        }
        #expect(ended.status == 0, "\(ended.errors)")
        return try run.record()
    }

    private func isNear(_ figure: Figure, _ truth: Double, within share: Double) -> Bool {
        figure.number.map { abs($0 / truth - 1) <= share } ?? false
    }

    @Test func doctorListsTheBoards() throws {
        let workplace = try Workplace()
        let library = try FakeNvml(
            in: workplace.url.path, state: FakeNvml.boards([80, 90], more: "device 1 lost"))
        let ended = try Program.run(
            ["doctor", "--power", "nvml"], in: workplace, environment: ["SUSTAIN_NVML": library.path])
        #expect(ended.status == 0, "\(ended.errors)")
        let lines = ended.text.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("nvml:0 ") && $0.contains(" ok") })
        #expect(
            lines.contains { $0.hasPrefix("nvml:1 ") && $0.contains("dead") && $0.contains("GPU is lost") })
        #expect(lines.contains("Energy of a run here: nvml:0 (GPU only)"))
        #expect(lines.count { $0.hasPrefix("To measure more: ") && $0.contains("--gpu-reset -i 1") } == 1)
    }

    @Test func withoutTheLibrary() throws {
        let workplace = try Workplace()
        let ended = try Program.run(
            ["doctor", "--power", "nvml"], in: workplace,
            environment: ["SUSTAIN_NVML": workplace.url.appending(path: "none.so").path])
        #expect(ended.status == 0)
        #expect(ended.text.contains("No such file"))
        #expect(ended.text.contains("unavailable: no energy source"))
    }

    /// The counter moves every 100 ms: windows of 20 periods and more are measured at their edges.
    @Test func aConstantPowerIsFoundInEveryWindow() throws {
        let record = try record(
            FakeNvml.boards([300], more: Self.mine),
            script:
                #"{"load": {"cold_ns": 1000000000}, "prefill": {"ns": 300000000}, "decode": {"ns": 120000000}}"#,
            seconds: 7, idle: 1)
        #expect(record.total.includes == ["nvml:0"])
        #expect(record.total.scope == "GPU only")
        let metrics = record.metrics
        #expect(isNear(metrics.decode.gross.watts, 300, within: 0.02), "\(metrics.decode.gross.watts)")
        #expect(isNear(metrics.cycle.gross.watts, 300, within: 0.01), "\(metrics.cycle.gross.watts)")
        #expect(isNear(metrics.idle.gross.watts, 300, within: 0.01), "\(metrics.idle.gross.watts)")
        let sources = metrics.cycle.gross.bySource
        #expect(sources.keys.sorted() == ["nvml:0", "nvml:0/power-average", "nvml:0/power-instant"])
        // What the gauge gives stands beside the total, and agrees with it.
        let counted = try #require(sources["nvml:0"]?.number)
        let gauge = sources["nvml:0/power-instant"] ?? .unavailable("none")
        #expect(isNear(gauge, counted, within: 0.02), "\(gauge)")
        let excluded = record.total.excludes.first { $0.id == "nvml:0/power-instant" }
        #expect(excluded?.reason.contains("same scope as nvml:0") == true)
        let identity = record.environment.identity
        #expect(identity["gpu_model"] == .known("NVIDIA H200"))
        #expect(identity["gpu_uuid"] == .known("GPU-00000000"))
        #expect(identity["gpu_power_limit"] == .known("700 W"))
        #expect(identity["gpu_driver"] == .known("580.95.05"))
        #expect(identity["env:SUSTAIN_NVML"]?.value != nil)
    }

    @Test func phasesHaveTheirOwnPower() throws {
        var (run, library) = try scripted(
            FakeNvml.boards([80]),
            script: """
                {"prefill": {"ns": 2000000000}, "decode": {"ns": 100000000}, "phase_append": true,
                 "phases": {"idle": "80 {t_ns}", "load": "120 {t_ns}", "loaded": "90 {t_ns}",
                            "prefill": "600 {t_ns}", "decode": "400 {t_ns}", "gap": "90 {t_ns}",
                            "unload": "90 {t_ns}"}}
                """)
        let phases = try run.workplace.file("phases", "")
        run.environment["SUSTAIN_PHASE_FILE"] = phases
        try library.set(FakeNvml.boards([80], more: "device 0 phases \(phases)\n\(Self.mine)"))
        let ended = try run.run(["--seconds", "9", "--idle", "3"])
        #expect(ended.status == 0, "\(ended.errors)")
        let metrics = try run.record().metrics
        #expect(isNear(metrics.prefill.gross.watts, 600, within: 0.05), "\(metrics.prefill.gross.watts)")
        #expect(isNear(metrics.decode.gross.watts, 400, within: 0.05), "\(metrics.decode.gross.watts)")
        #expect(isNear(metrics.idle.gross.watts, 80, within: 0.02), "\(metrics.idle.gross.watts)")
        #expect(isNear(metrics.loadedIdle.gross.watts, 90, within: 0.02), "\(metrics.loadedIdle.gross.watts)")
        #expect(isNear(metrics.decode.net.watts, 320, within: 0.06), "\(metrics.decode.net.watts)")
    }

    /// CASES C14, C15: power integrated, the averaging time named, and which power was read.
    @Test(arguments: [
        ("", "nvml:0/power-instant", "integrated, averaging time unknown"),
        (
            "device 0 error NVML_FI_DEV_POWER_INSTANT 3", "nvml:0/power-average",
            "integrated, averaging time 1 s"
        ),
    ])
    func withoutACounterPowerIsIntegrated(more: String, source: String, method: String) throws {
        let noCounter = "device 0 error nvmlDeviceGetTotalEnergyConsumption 3\n"
        let record = try record(
            FakeNvml.boards([250], more: noCounter + "\(Self.mine)\n" + more),
            script: #"{"prefill": {"ns": 100000000}, "decode": {"ns": 160000000}}"#, seconds: 8)
        #expect(record.total.includes == [source])
        guard case .value(let watts, _, let said) = record.metrics.decode.gross.watts else {
            Issue.record("\(record.metrics.decode.gross.watts)")
            return
        }
        #expect(abs(watts / 250 - 1) < 0.01)
        #expect(said.hasPrefix(method), "\(said)")
        let row = record.sources.first { $0.id == "nvml:0" }
        #expect(row?.status == .unsupported && row?.reason?.contains("Not Supported") == true)
    }

    @Test func theBoardThatTheEngineNames() throws {
        let record = try record(
            FakeNvml.boards([100, 200]),
            script: #"{"load": {"devices": [{"name": "CUDA0", "pci_id": "0000:2a:00.0"}]}}"#)
        #expect(record.total.includes == ["nvml:1"])
        #expect(record.total.gpuRule == "GPUs whose PCI addresses the engine names")
    }

    @Test func theBoardThatListsTheEngine() throws {
        let record = try record(FakeNvml.boards([100, 200], more: "device 1 process child 1000"))
        #expect(record.total.includes == ["nvml:1"])
        #expect(record.total.gpuRule == "GPUs on which the driver lists the measured processes")
        let excluded = record.total.excludes.first { $0.id == "nvml:0" }
        #expect(excluded?.reason.contains("not in use") == true)
    }

    /// Where the list cannot be read nothing tells which are in use.
    @Test func everyBoardWhereNothingTells() throws {
        let more = (0..<2).map { "device \($0) error nvmlDeviceGetComputeRunningProcesses_v3 4" }
        let record = try record(FakeNvml.boards([100, 200], more: more.joined(separator: "\n")))
        #expect(record.total.includes == ["nvml:0", "nvml:1"])
        #expect(record.total.gpuRule?.hasPrefix("every visible GPU") == true)
        let condition = record.environment.after.value?.first { $0.name == "foreign_gpu_processes" }
        #expect(condition?.verdict == .cannotTell)
        #expect(condition?.seen.contains("Insufficient Permissions") == true)
    }

    @Test(.enabled(if: processIdsAreVisible, "needs the machine's own process ids"))
    func noBoardWhereTheEngineIsOnNone() throws {
        let record = try record(FakeNvml.boards([100]))
        #expect(record.total.includes == [])
        #expect(record.total.excludes.first { $0.id == "nvml:0" }?.reason.contains("not in use") == true)
        let condition = record.environment.after.value?.first { $0.name == "foreign_gpu_processes" }
        #expect(condition?.verdict == .pass)
    }

    @Test func foreignProcessesAndLoweredLimitsAreConditions() throws {
        let state = FakeNvml.boards([100], more: "device 0 process 1 1000")
            .replacing("device 0 limit_mw 700000", with: "device 0 limit_mw 450000")
        let record = try record(state, idle: 1)
        let checks = Dictionary(
            record.environment.before.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(checks["foreign_gpu_processes"]?.verdict == .fail)
        #expect(checks["foreign_gpu_processes"]?.seen == "other processes compute: nvml:0: 1")
        #expect(checks["gpu_power_limit"]?.verdict == .fail)
        #expect(checks["gpu_power_limit"]?.seen == "nvml:0: 450 W, default 700 W")
        #expect(record.environment.filter.excluded)
    }

    /// The other board is measured to the end, and the run is completed.
    @Test func aBoardThatIsLostInTheMiddle() throws {
        let (run, library) = try scripted(
            FakeNvml.boards([100, 200]),
            script: #"{"load": {"devices": [{"name": "CUDA0", "pci_id": "0000:2a:00.0"}]}}"#)
        let program = try run.start(["--seconds", "5"])
        try program.wait { program.errorsSoFar().contains("sustained") }
        try library.set(FakeNvml.boards([100, 200], more: "device 0 lost"))
        let ended = try program.wait()
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(record.outcome.status == .completed)
        #expect(isNear(record.metrics.cycle.gross.watts, 200, within: 0.05))
        #expect(record.metrics.cycle.gross.bySource["nvml:0"]?.number == nil)
    }

    @Test func dividedBoardsAreToldOf() throws {
        let record = try record(
            FakeNvml.boards([100]).replacing("device 0 mig 0", with: "device 0 mig 1"))
        #expect(record.warnings.contains { $0.contains("MIG is enabled") })
        #expect(record.sources.first { $0.id == "nvml:0" }?.reason?.contains("whole board") == true)
    }
}
