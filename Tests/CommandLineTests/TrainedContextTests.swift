import Analysis
import Foundation
import TestSupport
import Testing

/// A context longer than the model was trained with is a warning, and nothing but that.
@Suite struct TrainedContextTests {
    /// The tiny model says that it was trained with 200 tokens of context.
    @Test(arguments: [(200, false), (300, true)])
    func runWarnsOnce(context: Int, warns: Bool) throws {
        var run = try ScriptedRun()
        try TinyModel.bytes().write(to: run.workplace.url.appending(path: "tiny.gguf"))
        run.arguments += ["-m", "tiny.gguf", "-c", "\(context)", "--idle", "0", "-r", "1"]
        let ended = try run.run()
        #expect(ended.status == 0, "\(ended.errors)")
        let text = "a context of 300 tokens is longer than the 200 that tiny.gguf was trained with"
        #expect(try run.record().warnings.count { $0.hasPrefix(text) } == (warns ? 1 : 0))
        #expect(ended.errors.contains(text) == warns)
    }

    @Test func fitWarnsToo() throws {
        let workplace = try Workplace()
        _ = try SparseModel.write("m.gguf", mebibytes: 512, in: workplace)
        for (tokens, warns) in [(8192, false), (8193, true)] {
            let ended = try Program.run(
                [
                    "fit", "m.gguf", "--ctx", "\(tokens)", "--json", "--exec", "none", "-ngl", "0", "--limit",
                    "64GiB",
                ], in: workplace)
            let document = try JSONDecoder().decode(FitDocument.self, from: ended.output)
            let text = "a context of \(tokens) tokens is longer than the 8192 that m.gguf was trained with"
            let found = document.models.first?.fit.warnings.contains { $0.hasPrefix(text) }
            #expect(found == warns, "\(ended.text)")
        }
    }
}
