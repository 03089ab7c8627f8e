import Foundation
import TestSupport
import Testing

/// CASES C26: what `--model` may be given by mistake, each with its own message and no trace left behind.
@Suite struct ModelPathTests {
    private func errors(_ model: String, in workplace: Workplace) throws -> String {
        let ended = try Program.run(
            [
                "run", "--exec", Program.path("scripted-engine"), "--model", model, "--seconds", "1",
                "--idle", "0",
            ],
            in: workplace)
        #expect(ended.status == 1 || ended.status == 2)
        #expect(ended.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: workplace.url.appending(path: "reports").path))
        return ended.errors
    }

    @Test func everyMistakeHasItsOwnMessage() throws {
        let workplace = try Workplace()
        let loop = workplace.url.appending(path: "loop").path
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        let messages = [
            try errors(workplace.url.path, in: workplace),
            try errors(loop, in: workplace),
            try errors(
                try workplace.file("notes.txt", "these are notes, not a model, and long enough to read"),
                in: workplace),
            try errors("https://example.org/q4.gguf", in: workplace),
            try errors(workplace.url.appending(path: "missing.gguf").path, in: workplace),
            try errors(try workplace.file("empty.gguf", ""), in: workplace),
        ]
        #expect(Set(messages).count == messages.count)
        for (message, word) in zip(
            messages, ["directory", "symbolic link", "GGUF", "URL", "no such file", "empty"])
        {
            #expect(message.lowercased().contains(word.lowercased()), "\(message)")
        }
    }

    @Test func controlCharactersOfANameDoNotReachTheTerminal() throws {
        let workplace = try Workplace()
        let message = try errors("\u{1B}[31mred\u{7}.gguf", in: workplace)
        #expect(!message.contains("\u{1B}"))
        #expect(!message.contains("\u{7}"))
        #expect(message.contains("\\u{1b}"))
    }
}
