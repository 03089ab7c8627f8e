import Analysis
import FakeNvml
import Foundation
import TestSupport
import Testing

/// Memory of boards, before and during a run, on a library of our own (Tests/FakeNvml).
@Suite(.enabled(if: FakeNvml.canBeMade, "needs a C compiler"))
struct GPUMemoryTests {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private func fit(_ state: String?, _ layers: String = "99") throws -> (status: Int32, fit: FitReport) {
        let model = try SparseModel.write("m.gguf", mebibytes: 4096, in: workplace)
        let library = try state.map { try FakeNvml(in: workplace.url.path, state: $0) }
        let path = library?.path ?? workplace.url.appending(path: "none.so").path
        let ended = try Program.run(
            [
                "fit", "-m", model, "-c", "4096", "--exec", "none", "-ngl", layers, "--limit", "64GiB",
                "--json",
            ], in: workplace, environment: ["SUSTAIN_NVML": path])
        let document = try JSONDecoder().decode(FitDocument.self, from: ended.output)
        return (ended.status, try #require(document.models.first?.fit, "\(ended.errors)"))
    }

    private func boards(_ gibibytes: [Double]) -> String {
        let free = gibibytes.enumerated().map { "device \($0) memory_free \(Int($1 * 1_073_741_824))" }
        return FakeNvml.boards(gibibytes.map { _ in 80 }, more: free.joined(separator: "\n"))
    }

    @Test func whatFitsOntoTheBoard() throws {
        let (status, fit) = try fit(boards([80]))
        #expect(status == 0)
        #expect(fit.status == .fits, "\(fit.reason)")
        let gpu = try #require(fit.gpu?.value)
        #expect(gpu.layers == 32 && gpu.boards == [GPUFit.Board(id: "nvml:0", freeBytes: 80 << 30)])
        // The one matrix serves as the output; of the cache nothing is left in the machine's memory.
        #expect(gpu.terms.first { $0.name == .weights }?.bytes == 4 << 30)
        #expect(gpu.terms.first { $0.name == .kv }?.bytes == 512 << 20)
        #expect(fit.bytes(.kv) == 0)
        #expect(fit.reason.contains("on the GPU"))
    }

    @Test func whatDoesNot() throws {
        let (status, fit) = try fit(boards([4.5]))
        #expect(status == 3)
        #expect(fit.status == .doesNotFit)
        #expect(fit.gpu?.value?.passes == false)
        #expect(fit.wholeSet?.passes == true && fit.newAllocation?.passes == true)
        #expect(fit.reason.contains("where only 4608 MiB free"), "\(fit.reason)")
    }

    @Test func itIsInTheTable() throws {
        let model = try SparseModel.write("m.gguf", mebibytes: 4096, in: workplace)
        let library = try FakeNvml(in: workplace.url.path, state: boards([80]))
        let ended = try Program.run(
            ["fit", "-m", model, "-c", "4096", "--exec", "none", "-ngl", "99", "--limit", "64GiB"],
            in: workplace,
            environment: ["SUSTAIN_NVML": library.path])
        #expect(ended.text.contains("on one GPU"), "\(ended.text)")
        #expect(ended.text.contains("32 layers are offloaded: weights 4.00 GiB"), "\(ended.text)")
    }

    @Test func halfOfTheLayers() throws {
        let gpu = try #require(try fit(boards([80]), "16").fit.gpu?.value)
        #expect(gpu.layers == 16)
        #expect(gpu.terms.first { $0.name == .kv }?.bytes == 256 << 20)
    }

    @Test func nothingIsOffloaded() throws {
        let report = try fit(boards([1]), "0").fit
        #expect(report.gpu == nil && report.status == .fits)
    }

    @Test func withoutALibraryItCannotBeTold() throws {
        let (status, fit) = try fit(nil)
        #expect(status == 3)
        #expect(fit.status == .cannotTell && fit.code == .sizingUnavailable)
        #expect(fit.gpu?.reason?.hasPrefix("memory of GPUs: ") == true)
        let unread = try self.fit(boards([80]) + "\ndevice 0 error nvmlDeviceGetMemoryInfo 4").fit
        #expect(unread.reason.contains("nvml:0: free memory: nvmlDeviceGetMemoryInfo"), "\(unread.reason)")
    }

    // MARK: In a run

    private func record(_ script: String, more: String = "") throws -> Record {
        var run = try ScriptedRun(script)
        let library = try FakeNvml(in: run.workplace.url.path, state: boards([30, 20]) + "\n" + more)
        run.environment["SUSTAIN_NVML"] = library.path
        run.arguments = ["-r", "1", "--idle", "0", "-p", "8", "-n", "4", "--warmup", "0", "--power", "nvml"]
        let ended = try withExtendedLifetime(library) { try run.run() }
        #expect(ended.status == 0, "\(ended.errors)")
        return try run.record()
    }

    private static let second = #"{"load": {"devices": [{"name": "CUDA1", "pci_id": "0000:2a:00.0"}]}}"#

    @Test func headroomIsThatOfTheEnginesBoard() throws {
        let headroom = try record(Self.second).memory.gpuHeadroomNowBytes
        #expect(headroom?.number == Double(20 << 30))
        let both =
            #"{"load": {"devices": [{"name": "CUDA0", "pci_id": "0000:1a:00.0"}, "#
            + #"{"name": "CUDA1", "pci_id": "0000:2a:00.0"}]}}"#
        #expect(try record(both).memory.gpuHeadroomNowBytes?.number == Double(20 << 30))
    }

    @Test func headroomIsUnavailableWithItsReason() throws {
        #expect(try record("{}").memory.gpuHeadroomNowBytes?.reason == "the engine is on no GPU")
        let unread = try record(Self.second, more: "device 1 error nvmlDeviceGetMemoryInfo 4")
        #expect(
            unread.memory.gpuHeadroomNowBytes?.reason?.hasPrefix("nvml:1: nvmlDeviceGetMemoryInfo") == true)
        // Where no board is there is nothing to tell of.
        let run = try ScriptedRun()
        _ = try run.run(["-r", "1"])
        #expect(try run.record().memory.gpuHeadroomNowBytes == nil)
    }
}
