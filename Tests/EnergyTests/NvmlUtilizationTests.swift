import Analysis
import FakeNvml
import Glibc
import Testing

@testable import Energy

/// What the driver's samples credit processes with, against a library of our own (Tests/FakeNvml).
@Suite(.enabled(if: FakeNvml.canBeMade, "needs a C compiler"))
struct NvmlUtilizationTests {
    private let probe: NvmlProbe

    init() throws { probe = try NvmlProbe() }

    private func gpu(_ more: [String], without missing: [String] = []) throws -> GPUDevice {
        let state = FakeNvml.boards([80], more: more.joined(separator: "\n"))
        return try #require(probe.run(try probe.fake(state, without: missing)).gpus.first)
    }

    @Test func valuesAndWhatIsLater() throws {
        let gpu = try gpu([
            "device 0 utilization 4711 30 at 1000000", "device 0 utilization 4712 100 at 1200000",
        ])
        let all = try gpu.utilization(after: 0).get()
        #expect(all.map(\.pid) == [4711, 4712] && all.map(\.smPercent) == [30, 100])
        #expect(all.map(\.microseconds) == [1_000_000, 1_200_000])
        #expect(try gpu.utilization(after: 1_000_000).get().map(\.pid) == [4712])
        #expect(try gpu.utilization(after: 1_200_000).get() == [])
    }

    @Test func noSamples() throws { #expect(try gpu([]).utilization(after: 0).get() == []) }

    /// The driver of an H200 wants room for 72 samples, however few there are.
    @Test func moreThanTheFirstQuestionHasRoomFor() throws {
        let gpu = try gpu((1...300).map { "device 0 utilization \($0) \($0 % 101) at \($0)" })
        let all = try gpu.utilization(after: 0).get()
        #expect(all.map(\.pid) == Array(1...300))
        #expect(all.map(\.smPercent) == (1...300).map { $0 % 101 })
    }

    /// Of places that some drivers fill with nothing no process is made.
    @Test func placesWithoutATime() throws {
        let gpu = try gpu([
            "device 0 utilization 99 4294967295 at 0", "device 0 utilization 4711 7 at 1000000",
        ])
        #expect(try gpu.utilization(after: 0).get().map(\.pid) == [4711])
    }

    @Test(arguments: [(3, ENOTSUP, "Not Supported"), (4, EACCES, "Insufficient Permissions")])
    func whatTheDriverRefuses(code: Int, error: Int32, words: String) throws {
        let gpu = try gpu(["device 0 error nvmlDeviceGetProcessUtilization \(code)"])
        guard case .failure(let failure) = gpu.utilization(after: 0) else {
            Issue.record("samples that are not there were read")
            return
        }
        #expect(failure.thing == "nvml:0" && failure.errno == error)
        #expect(failure.cause == "nvmlDeviceGetProcessUtilization: \(words)")
    }

    @Test func anOlderDriver() throws {
        let gpu = try gpu([], without: ["nvmlDeviceGetProcessUtilization"])
        guard case .failure(let failure) = gpu.utilization(after: 0) else {
            Issue.record("a function that is not there was called")
            return
        }
        #expect(failure.errno == ENOSYS)
    }
}
