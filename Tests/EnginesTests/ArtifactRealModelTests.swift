import Analysis
import Glibc
import Testing

@testable import Engines

/// Facts of SmolLM2-135M-Instruct Q4_1, the demo model; other models are only held to be sound.
@Suite("A real model", .enabled(if: getenv("SUSTAIN_TEST_MODEL") != nil))
struct ArtifactRealModelTests {
    let path = getenv("SUSTAIN_TEST_MODEL").map { String(cString: $0) } ?? ""

    @Test("is taken without a warning, and its weights fill the file")
    func sound() throws {
        let file = try ModelFile.inspect(path: path)
        #expect(file.warnings.isEmpty)
        let bytes = try #require(file.summary.bytes)
        #expect(bytes < file.sizeBytes)
        #expect(file.sizeBytes - bytes < 64 << 20)
        #expect(file.quantization.value != nil)
    }

    @Test("the demo model's facts")
    func demo() throws {
        let file = try ModelFile.inspect(path: path)
        guard path.hasSuffix("SmolLM2-135M-Instruct.Q4_1.gguf") else { return }
        #expect(file.shape.architecture == "llama")
        #expect(file.quantization == .known("Q4_1"))
        #expect(file.summary.parameters == 134_515_008)
        #expect(file.shape.layers == 30)
        #expect(file.shape.hidden == 576)
        #expect(file.shape.heads == .same(9))
        #expect(file.shape.kvHeads == .same(3))
        #expect(file.shape.attentionKeyLength == 64)
        #expect(file.shape.vocabulary == 49_152)
        #expect(file.shape.trainedContextTokens == 8_192)
        #expect(file.summary.sharesEmbedding)
    }
}
