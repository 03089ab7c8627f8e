import Analysis
import Foundation
import TestSupport
import Testing

/// What `sustain compare` makes of variants that do not say what the reference says.
@Suite struct CompareParityTests {
    private let workplace: Workplace

    init() throws {
        workplace = try Workplace()
        try TinyModel.bytes().write(to: workplace.url.appending(path: "tiny.gguf"))
    }

    /// Engines that differ in what they score, all with one model file.
    private func compare(_ scores: [String], _ more: [String] = []) throws -> Program.Ended {
        try start(scores, more).wait()
    }

    private func start(_ scores: [String], _ more: [String] = []) throws -> Program {
        let engines = try scores.enumerated().flatMap { index, score in
            let script = try workplace.file(
                "engine-\(index).json",
                #"{"vocabulary_tokens": 300, "load": {"cold_ns": 0, "warm_ns": 0}, "prefill": {"ns": 2000000}, "#
                    + #""decode": {"ns": 1000000}, "score": {\#(score)}}"#)
            return ["--exec", "\(Program.path("scripted-engine")) \(script)"]
        }
        return try Program(
            "sustain",
            ["compare", "-m", "tiny.gguf", "--idle", "0", "-p", "8", "-n", "5", "--power", "none"] + engines
                + more, in: workplace)
    }

    private func document() throws -> SessionDocument {
        let data = try Data(contentsOf: try workplace.runDirectory().appending(path: "session.json"))
        return try JSONDecoder().decode(SessionDocument.self, from: data)
    }

    @Test func oneThatSaysTheSameIsTheSame() throws {
        let ended = try compare(["", ""], ["-o", "md"])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.text.contains("| same"), "\(ended.text)")
        let document = try document()
        #expect(document.variants[0].parity.reason == "the others are held against it")
        let parity = try #require(document.variants[1].parity.value)
        #expect(parity.verdict == .passed && parity.relation == .sameFile)
        #expect(document.comparisons[0].sentence.contains("parity: same: top-1 1"))
    }

    /// It is wrong in each format, and the exit code is that of a gate, whatever else was found.
    @Test func aWrongVariantIsWrongEverywhere() throws {
        let ended = try compare(["", #""seed": 7"#, ""], ["-o", "junit"])
        #expect(ended.status == 3, "\(ended.errors)")
        #expect(ended.errors.contains("parity: tiny engine-1.json is wrong"), "\(ended.errors)")
        #expect(ended.text.contains("<failure message=\"wrong: top-1"), "\(ended.text)")
        #expect(try document().variants.map { $0.parity.value?.verdict } == [nil, .wrong, .passed])
        #expect(try document().comparisons[0].sentence.contains("parity: wrong: top-1"))
    }

    @Test(arguments: ["text", "md", "csv", "jsonl"])
    func everyTableSaysSo(format: String) throws {
        let ended = try compare(["", #""seed": 7"#], ["-o", format])
        #expect(ended.status == 3)
        #expect(ended.text.contains("wrong"), "\(ended.text)")
    }

    /// Noise of up to 2 on each logit diverges by ln(sinh(2) / 2) = 0.6 nats, the wrong pairing by about 3.
    @Test func thresholdsCanBeLooser() throws {
        let ended = try compare(["", #""noise": 2"#], ["--parity-top1", "0", "--parity-kl", "1.5"])
        #expect(ended.status == 0, "\(ended.errors)")
        let parity = try #require(try document().variants[1].parity.value)
        #expect(parity.verdict == .passed && parity.thresholds?.meanKL == 1.5)
    }

    @Test func aContextBeyondTheTrainedOneIsOneWarning() throws {
        _ = try compare(["", ""], ["--no-parity", "-c", "300"])
        let text = "a context of 300 tokens is longer than the 200 that tiny.gguf was trained with"
        #expect(try document().warnings.count { $0.hasPrefix(text) } == 1)
    }

    @Test func itIsNotAskedInVain() throws {
        let ended = try compare(["", #""seed": 7"#], ["--no-parity"])
        #expect(ended.status == 0)
        #expect(try document().variants[1].parity.reason == "not checked")
    }

    /// Keys and values in another type are a loss that was chosen.
    @Test func anotherCacheIsReported() throws {
        let ended = try compare([#""noise": 2"#], ["-ctk", "f16,q8_0"])
        #expect(ended.status == 0, "\(ended.errors)")
        let parity = try #require(try document().variants[1].parity.value)
        #expect(parity.verdict == .reported && parity.relation == .otherCache)
    }

    /// Where thresholds were given, what nobody knows does not pass.
    @Test(arguments: [([], 0), (["--parity-kl", "0.1"], 7)] as [([String], Int32)])
    func anEngineThatCannotSayIsNoFailure(more: [String], status: Int32) throws {
        let ended = try compare(["", #""refuses": true"#], more)
        #expect(ended.status == status, "\(ended.errors)")
        #expect(try document().variants[1].parity.value?.verdict == .cannotTell)
    }

    /// What is wrong with the reference is said of the reference, and is no verdict on a variant.
    @Test(arguments: [
        (#""nan_at": 40"#, "the reference's logits of position 40 are not numbers"),
        (#""cut": 8"#, "the reference's logits of positions 0 to 31 cannot be used"),
    ])
    func aBrokenReferenceTellsNothingOfVariants(score: String, reason: String) throws {
        let ended = try compare([score, ""])
        #expect(ended.status == 0, "\(ended.errors)")
        let parity = try #require(try document().variants[1].parity.value)
        #expect(parity.verdict == .cannotTell)
        #expect(parity.reason?.hasPrefix(reason) == true, "\(parity.reason ?? "none")")
        #expect(try document().comparisons[0].sentence.contains("parity: cannot tell: " + reason))
    }

    /// Killed while the reference is scored, a session leaves its rows; the next one removes them.
    @Test func rowsOfAKilledSessionAreRemovedByTheNext() throws {
        let reports = workplace.url.appending(path: "reports").path
        func leftovers() -> [String] {
            (FileManager.default.subpaths(atPath: reports) ?? []).filter { $0.contains(".parity-") }
        }
        let program = try start([#""hang_at": 40"#, ""])
        try program.wait { leftovers().contains { $0.hasSuffix("reference-32.f32") } }
        program.signal(SIGKILL)
        _ = try program.wait()
        #expect(leftovers().count == 3)
        let ended = try compare(["", ""])
        #expect(ended.status == 0 && leftovers() == [], "\(ended.errors)")
        #expect(ended.errors.contains("removed the logits that a killed comparison left: reports/"))
    }

    @Test(arguments: [
        ["--parity-top1", "1.5"], ["--parity-kl", "-1"], ["--parity-kl", "x"],
        ["--no-parity", "--parity-kl", "0.1"],
    ])
    func wrongOptions(more: [String]) throws {
        #expect(try compare(["", ""], more).status == 2)
    }
}
