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

    /// A record is input from outside: what it names is not run because it says so.
    @Test func aProgramOfTheRecordAloneIsNotRun() throws {
        let baseline = try baseline()
        let marker = workplace.url.appending(path: "ran").path
        let file = URL(filePath: baseline + "/run.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        let program = try #require(engine.first { $0.contains("scripted-engine") })
        let slashes = program.replacing("/", with: "\\/")
        let evil = text.replacing("\"\(program)\"", with: "\"/usr/bin/touch \(marker)\"")
            .replacing("\"\(slashes)\"", with: "\"/usr/bin/touch \(marker)\"")
        #expect(evil != text)
        try Data(evil.utf8).write(to: file)
        let refused = try compare(baseline)
        #expect(refused.status == 2 && refused.errors.contains("--trust-baseline"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: marker))
    }

    /// The file that is measured is the one that was hashed, to the end.
    @Test func aModelThatChangesMeanwhileIsNoResult() throws {
        let program = try Program(
            "sustain",
            ["compare", "--no-parity"] + engine + Self.quick + ["-t", "1,2", "-p", "8", "-n", "5"],
            in: workplace)
        try program.wait { program.errorsSoFar().contains("quads for") }
        try TinyModel.bytes(trainedContext: 201).write(to: model)
        let ended = try program.wait()
        #expect(ended.status == 4, "\(ended.errors)")
        #expect(ended.errors.contains("changed since it was hashed"), "\(ended.errors)")
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
