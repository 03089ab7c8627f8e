import Analysis
import FakeNvml
import Foundation
import TestSupport
import Testing

/// `sustain measure` on NVIDIA's boards, through a library of our own (Tests/FakeNvml).
@Suite(.enabled(if: FakeNvml.canBeMade, "needs a C compiler"))
struct MeasureGPUTests {
    private func measure(_ state: String, _ words: [String]) throws -> MeasureRecord {
        let workplace = try Workplace()
        let library = try FakeNvml(in: workplace.url.path, state: state)
        let ended = try withExtendedLifetime(library) {
            try Program.run(
                ["measure", "--json", "--power", "nvml", "--idle", "0"] + words, in: workplace,
                environment: ["SUSTAIN_NVML": library.path])
        }
        #expect(ended.status == 0, "\(ended.errors)")
        return try JSONDecoder().decode(MeasureRecord.self, from: ended.output)
    }

    /// The driver lists the command's process on the second board: that one is in use.
    @Test func theBoardThatListsTheCommand() throws {
        let record = try measure(
            FakeNvml.boards([100, 200], more: "device 1 process child 1000"), ["--", "sleep", "4"])
        #expect(record.total.scopes.includes == ["nvml:1"])
        #expect(record.total.scopes.gpuRule == "GPUs on which the driver lists the measured processes")
        #expect(record.total.scopes.scope == "GPU only")
        let watts = try #require(record.total.gross.watts.number, "\(record.total.gross.watts)")
        #expect(abs(watts / 200 - 1) < 0.03)
        let excluded = record.total.scopes.excludes.first { $0.id == "nvml:0" }
        #expect(excluded?.reason.contains("not in use") == true)
        // What is beside the total is measured all the same, and nothing but energy and power is there.
        let beside = try #require(record.sources.first { $0.source.id == "nvml:0" })
        #expect(abs((beside.watts.number ?? 0) / 100 - 1) < 0.03)
        #expect(record.sources.allSatisfy { !$0.source.id.contains("temperature") })
    }

    /// A driver that does not answer is no reason to hang: ^C ends the program.
    @Test(arguments: [SIGINT, SIGTERM])
    func aHangingDriverCanBeLeft(_ number: Int32) throws {
        let workplace = try Workplace()
        let library = try FakeNvml(in: workplace.url.path, state: "hang nvmlInit_v2")
        try withExtendedLifetime(library) {
            let program = try Program(
                "sustain", ["measure", "--power", "nvml", "--", "true"], in: workplace,
                environment: ["SUSTAIN_NVML": library.path])
            try program.waitUntilItBlocks(number)
            program.signal(number)
            let ended = try program.wait()
            #expect(ended.status == 128 + number, "\(ended.errors)")
            #expect(ended.errors.contains("interrupted while the sources of this machine were looked for"))
        }
    }

    /// CASES C14: a board without a counter.
    @Test func withoutACounterPowerIsIntegrated() throws {
        let state = FakeNvml.boards(
            [150],
            more: "device 0 process child 1000\ndevice 0 error nvmlDeviceGetTotalEnergyConsumption 3")
        let record = try measure(state, ["--", "sleep", "4"])
        #expect(record.total.scopes.includes == ["nvml:0/power-instant"])
        guard case .value(let watts, _, let method) = record.total.gross.watts else {
            Issue.record("\(record.total.gross.watts)")
            return
        }
        #expect(abs(watts / 150 - 1) < 0.02)
        #expect(method.hasPrefix("integrated"))
    }

    @Test func aCommandTooShortForTheCounterIsToldWhatHelps() throws {
        let record = try measure(
            FakeNvml.boards([100], more: "device 0 process child 1000"), ["--", "sleep", "0.1"])
        let reason = try #require(record.total.gross.joules.reason)
        #expect(reason.contains("less than 20 times") && reason.contains("--repeat"), "\(reason)")
    }

    @Test func aDividedBoardIsToldOf() throws {
        let record = try measure(
            FakeNvml.boards([100]).replacing("device 0 mig 0", with: "device 0 mig 1"), ["--", "true"])
        #expect(record.warnings.contains { $0.contains("MIG is enabled") })
    }
}
