import FoundationEssentials
import Testing
import WorkerProtocol

/// The example lines of docs/worker-protocol.md are what people write their workers from.
@Suite struct DocumentedLinesTests {
    private static func examples() throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try Data(contentsOf: root.appending(path: "docs/worker-protocol.md"))
        return String(decoding: page, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("    {") }.map { String($0.dropFirst(4)) }
    }

    /// Each decodes, holds no field that we do not know, and is written as our own encoder writes it.
    @Test func everyExampleIsALineOfTheProtocol() throws {
        var names: Set<String> = []
        for example in try Self.examples() {
            // Events first: a "done" holds the name of its command.
            if let event = try? LineCodec.event(from: Array(example.utf8)) {
                #expect(String(decoding: LineCodec.encode(event), as: UTF8.self) == example + "\n")
                names.insert(event.name)
            } else {
                let command = try LineCodec.command(from: Array(example.utf8))
                #expect(String(decoding: LineCodec.encode(command), as: UTF8.self) == example + "\n")
                names.insert(command.name)
            }
        }
        #expect(
            names == [
                "go", "load", "generate", "unload", "stop", "quit", "hello", "mark", "tokens", "loaded",
                "memory", "size", "sized", "tokenize", "tokenized", "score", "scored",
                "done", "error",
            ])
    }
}
