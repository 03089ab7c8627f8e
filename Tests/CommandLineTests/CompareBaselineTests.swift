import Analysis
import Foundation
import TestSupport
import Testing

/// `sustain compare --baseline`: the build of an earlier run is measured again.
@Suite struct CompareBaselineTests {
    private let workplace: Workplace
    private let model: URL
    private let engine: [String]
    private static let quick = ["--idle", "0.2", "--power", "none"]

    init() throws {
        workplace = try Workplace()
        model = workplace.url.appending(path: "tiny.gguf")
        try TinyModel.bytes().write(to: model)
        let script = try workplace.file(
            "engine.json",
            #"{"load": {"cold_ns": 1000000}, "prefill": {"ns": 2000000}, "decode": {"ns": 1000000}}"#
        )
        engine = ["--exec", "\(Program.path("scripted-engine")) \(script)", "-m", model.path]
    }

    /// An earlier run; its directory.
    private func baseline() throws -> String {
        let run = ["run"] + engine + Self.quick + ["--seconds", "0.5", "--warmup", "0", "-p", "8", "-n", "6"]
        let ended = try Program.run(run + ["-t", "3"], in: workplace)
        guard ended.status == 0 else { throw SetUpFailure(ended.errors) }
        return try workplace.runDirectory().path
    }

    private func compare(_ baseline: String, _ more: [String] = []) throws -> Program.Ended {
        try Program.run(
            ["compare", "--no-parity"] + engine + Self.quick + ["--baseline", baseline] + more, in: workplace)
    }

    @Test func itsBuildIsMeasuredAgainUnderItsProtocol() throws {
        let ended = try compare(try baseline() + "/run.json", ["--json"])
        #expect(ended.status == 0, "\(ended.errors)")
        let document = try JSONDecoder().decode(SessionDocument.self, from: ended.output)
        #expect(document.variants.map(\.name) == ["tiny baseline", "tiny engine.json"])
        #expect(document.reference == "tiny baseline")
        #expect(document.protocol.name == "custom-p8-n6")
        #expect(document.variants.map { $0.options["threads"]?.string } == ["3", nil])
        let hashes = document.variants.compactMap { $0.artifact.value?.sha256.value }
        #expect(hashes.count == 2 && Set(hashes).count == 1)
        #expect(document.comparisons.first?.quads == 8)
    }

    @Test func aModelThatHasChangedIsNoBaseline() throws {
        let baseline = try baseline()
        try TinyModel.bytes(trainedContext: 201).write(to: model)
        let ended = try compare(baseline)
        #expect(ended.status == 4, "\(ended.errors)")
        #expect(ended.errors.contains("is no longer the file that was measured"))
    }

    @Test func aModelThatIsGoneIsNoBaseline() throws {
        let baseline = try baseline()
        let other = workplace.url.appending(path: "other.gguf")
        try FileManager.default.moveItem(at: model, to: other)
        let ended = try Program.run(
            ["compare"] + engine.dropLast() + [other.path] + Self.quick + ["--baseline", baseline],
            in: workplace)
        #expect(ended.status != 0 && ended.errors.contains("tiny.gguf"), "\(ended.errors)")
    }

    @Test func whatIsNoRecordIsRefused() throws {
        let ended = try compare(try workplace.file("run.json", "{}"))
        #expect(ended.status == 2 && ended.errors.contains("--baseline"), "\(ended.errors)")
        let both = try compare(try baseline(), ["--reference", "1"])
        #expect(both.status == 2 && both.errors.contains("--baseline names the reference"))
    }
}
