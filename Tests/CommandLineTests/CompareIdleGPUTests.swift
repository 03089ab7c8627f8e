import Analysis
import FakeNvml
import Foundation
import TestSupport
import Testing

/// `sustain compare` of scripted engines on a board of our own (Tests/FakeNvml): what is told of the one without work.
@Suite(.enabled(if: FakeNvml.canBeMade, "needs a C compiler"))
struct CompareIdleGPUTests {
    /// Without a counter: no block has to be long for its sake.
    private static let board = [
        "nvmlDeviceGetTotalEnergyConsumption", "nvmlDeviceGetPowerUsage", "NVML_FI_DEV_POWER_INSTANT",
        "NVML_FI_DEV_POWER_AVERAGE",
    ].map { "device 0 error \($0) 3" }

    private static func script(decode milliseconds: Int) -> String {
        #"{"load": {"cold_ns": 1000000, "warm_ns": 1000000}, "prefill": {"ns": 2000000}, "#
            + #""decode": {"ns": \#(milliseconds * 1_000_000)}}"#
    }

    /// A session of two engines, the driver's first and second child.
    private func compare(
        boards: Int = 1, _ lines: [String], decode milliseconds: Int
    ) throws -> SessionDocument {
        let place = try Workplace()
        let library = try FakeNvml(
            in: place.url.path,
            state: FakeNvml.boards(
                Array(repeating: 80, count: boards), more: (Self.board + lines).joined(separator: "\n")))
        let engines = try ["one", "two"].flatMap { name in
            let path = try place.file("\(name).json", Self.script(decode: milliseconds))
            return ["--exec", "\(Program.path("scripted-engine")) \(path)"]
        }
        let ended = try withExtendedLifetime(library) {
            try Program.run(
                ["compare"] + engines + [
                    "--idle", "0.2", "-p", "8", "-n", "5", "--power", "nvml", "--no-parity", "--json",
                ], in: place, environment: ["SUSTAIN_NVML": library.path])
        }
        #expect(ended.status == 0, "\(ended.errors)")
        return try JSONDecoder().decode(SessionDocument.self, from: ended.output)
    }

    private static let listed = ["device 0 process child 1000", "device 0 process child2 1000"]

    private func warnings(_ document: SessionDocument) -> [String] {
        document.warnings.filter { $0.contains("GPU") }
    }

    /// The second works on in all blocks of the first; blocks are longer than the driver's samples.
    @Test func theIdleAndTheBusy() throws {
        let document = try compare(Self.listed + ["device 0 utilization child2 30"], decode: 30)
        #expect(document.comparisons.first?.quads == 8)
        #expect(document.variants.map(\.name) == ["one.json", "two.json"])
        #expect(document.variants[0].idleGPU == .known(0))
        let busy = try #require(document.variants[1].idleGPU?.value, "\(document.variants[1])")
        #expect(abs(busy - 0.3) < 1e-6)
        #expect(warnings(document).count == 1)
        #expect(
            warnings(document).first?.hasPrefix("two.json used 30.0 % of a GPU's time") == true,
            "\(document.warnings)")
    }

    @Test func aDriverThatDoesNotSample() throws {
        let document = try compare(
            Self.listed + ["device 0 error nvmlDeviceGetProcessUtilization 3"], decode: 1)
        let reason = "nvmlDeviceGetProcessUtilization: Not Supported"
        #expect(document.variants.map(\.idleGPU) == [.unavailable(reason), .unavailable(reason)])
        #expect(warnings(document) == [])
    }

    /// As in a container: the driver lists processes, none of them ours.
    @Test func processesThatTheDriverDoesNotList() throws {
        let document = try compare(
            ["device 0 process 1 1000", "device 0 utilization 1 100"], decode: 1)
        for variant in document.variants {
            #expect(
                variant.idleGPU?.reason?.hasPrefix("the driver lists it on no GPU") == true, "\(variant)")
        }
        #expect(warnings(document) == [])
    }

    @Test func withoutGPUs() throws {
        let document = try compare(boards: 0, [], decode: 1)
        #expect(document.variants.map(\.idleGPU) == [nil, nil])
    }
}
