import Analysis
import FakeNvml
import Foundation
import Testing

@testable import Energy
@testable import Session

/// What is asked of a driver about variants without work, against a library of our own (Tests/FakeNvml).
@Suite(.enabled(if: FakeNvml.canBeMade, "needs a C compiler"))
final class IdleGPUsTests {
    private let directory: URL
    private let idle = IdleGPUs.Arm(pids: [4711, 4712], isLocal: true)

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "idle-gpus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func state(boards: Int = 1, _ lines: [String]) -> String {
        FakeNvml.boards(Array(repeating: 80, count: boards), more: lines.joined(separator: "\n"))
    }

    /// What is told of a block between two states of the driver.
    private func block(
        _ arms: [IdleGPUs.Arm], boards: Int = 1, before: [String], after: [String]
    ) throws -> [Maybe<[BlockLine.GPU]>?] {
        let library = try FakeNvml(in: directory.path, state: state(boards: boards, before))
        let roots = SystemRoots(sysfs: directory.path, procfs: "/proc", nvml: library.path)
        let gpus = Probe.run(roots: roots, power: .nvml).gpus
        try #require(gpus.count == boards)
        var asked = IdleGPUs(gpus, HostFacts(sysfs: directory.path, procfs: "/proc"))
        asked.begin()
        try library.set(state(boards: boards, after))
        return asked.end(arms)
    }

    private func gpu(_ found: [Maybe<[BlockLine.GPU]>?]) throws -> BlockLine.GPU {
        try #require(found.count == 1)
        return try #require(found[0]?.value?.first, "\(found)")
    }

    private static let listed = "device 0 process 4711 1000"

    @Test func whatIsSampledWithinTheBlockCounts() throws {
        let found = try block(
            [idle],
            before: ["device 0 utilization 4711 100 at 1000000", "device 0 utilization 99 100 at 1000000"],
            after: [
                Self.listed, "device 0 utilization 4711 30 at 2000000",
                "device 0 utilization 99 69 at 2000000",
            ])
        #expect(try gpu(found) == BlockLine.GPU(device: "0000:1a:00.0", percents: .known([30]), others: 1))
    }

    /// Before the block it worked: neither that nor the sample that straddles the begin is held against it.
    @Test(arguments: [1_000_000, 1_240_000]) func whatCameBeforeDoesNot(time: Int) throws {
        let found = try block(
            [idle], before: ["device 0 utilization 4711 100 at 1000000"],
            after: [Self.listed, "device 0 utilization 4711 50 at \(time)"])
        #expect(try gpu(found) == BlockLine.GPU(device: "0000:1a:00.0", percents: .known([]), others: 0))
    }

    @Test func severalProcessesOfOneVariant() throws {
        let found = try block(
            [idle], before: ["device 0 utilization 99 1 at 1000000"],
            after: [
                Self.listed, "device 0 process 4712 1", "device 0 utilization 4712 20 at 2000000",
                "device 0 utilization 4711 10 at 2000000", "device 0 utilization 4711 4 at 1900000",
            ])
        #expect(try gpu(found).percents == .known([10, 20]))
    }

    @Test func theBoardThatListsIt() throws {
        let working = IdleGPUs.Arm(pids: [99], isLocal: true)
        let found = try block(
            [idle, working], boards: 2, before: ["device 1 utilization 4711 1 at 1000000"],
            after: ["device 1 process 4711 1", "device 0 utilization 99 90 at 2000000"])
        #expect(found[0] == .known([BlockLine.GPU(device: "0000:2a:00.0", percents: .known([]), others: 0)]))
        #expect(found[1]?.reason?.hasPrefix("the driver lists it on no GPU") == true)
    }

    /// Where nothing was ever sampled, no sample is not idleness.
    @Test func aDriverThatTellsNothing() throws {
        let found = try block([idle], before: [], after: [Self.listed])
        #expect(try gpu(found).percents == .unavailable("the driver has told no sample of any process"))
    }

    @Test func aDriverThatDoesNotSample() throws {
        let refusal = "device 0 error nvmlDeviceGetProcessUtilization 3"
        let found = try block([idle], before: [refusal], after: [refusal, Self.listed])
        #expect(
            try gpu(found).percents == .unavailable("nvmlDeviceGetProcessUtilization: Not Supported"))
    }

    /// What was not read at the begin cannot be told from what came before.
    @Test func aDriverThatDidNotAnswerAtTheBegin() throws {
        let found = try block(
            [idle], before: ["device 0 error nvmlDeviceGetProcessUtilization 999"],
            after: [Self.listed, "device 0 utilization 4711 50 at 2000000"])
        #expect(
            try gpu(found).percents == .unavailable("nvmlDeviceGetProcessUtilization: Unknown Error"))
    }

    @Test func listsThatCannotBeRead() throws {
        let refusal = "device 0 error nvmlDeviceGetComputeRunningProcesses_v3 4"
        let found = try block([idle], before: [], after: [refusal, Self.listed])
        #expect(found == [.unavailable("nvml:0: list of processes: Insufficient Permissions")])
    }

    @Test func enginesElsewhereAndMachinesWithoutGPUs() throws {
        let remote = IdleGPUs.Arm(pids: [4711], isLocal: false)
        #expect(
            try block([remote], before: [], after: [Self.listed]) == [
                .unavailable("the engine runs elsewhere")
            ])
        var none = IdleGPUs([], HostFacts(sysfs: directory.path, procfs: "/proc"))
        none.begin()
        #expect(none.end([idle, idle]) == [nil, nil])
    }
}
