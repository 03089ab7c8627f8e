import Analysis
import Testing

@testable import Engines

@Suite("Model shape")
struct ArtifactShapeTests {
    func shape(_ change: (inout GGUFWriter) -> Void = { _ in }) throws -> ModelShape {
        var writer = GGUFWriter.model
        change(&writer)
        return ModelShape(try GGUFHeader.parse(MemoryBytes(bytes: writer.bytes), thing: "m"))
    }

    @Test("as the header gives it, with llama.cpp's defaults")
    func plain() throws {
        let shape = try shape()
        #expect(shape.architecture == "llama")
        #expect(shape.trainedContextTokens == 2048)
        #expect(shape.layers == 2)
        #expect(shape.hidden == 64)
        #expect(shape.feedForward == .same(128))
        #expect(shape.heads == .same(4))
        #expect(shape.kvHeads == .each([2, 1]))
        #expect(shape.kvHeads?[1] == 1)
        #expect(shape.kvHeads?[2] == nil)
        #expect(shape.kvHeads?.maximum == 2)
        #expect(shape.keyLength == nil)
        #expect(shape.attentionKeyLength == 16)
        #expect(shape.attentionValueLength == 16)
        #expect(shape.vocabulary == 3)
        #expect(shape.experts == nil)
        #expect(shape.ssmInner == nil)
        #expect(shape.warnings.isEmpty)
    }

    @Test("kv heads default to heads, lengths may be given")
    func defaults() throws {
        let shape = try shape {
            $0.entries[9] = ("llama.attention.key_length", .u32(80))
        }
        #expect(shape.kvHeads == nil)
        #expect(shape.attentionKVHeads == .same(4))
        #expect(shape.attentionKeyLength == 80)
        #expect(shape.attentionValueLength == 16)
    }

    @Test("no heads, no division")
    func noHeads() throws {
        #expect(
            try shape { $0.entries[8] = ("llama.attention.head_count", .u32(0)) }.attentionKeyLength == nil)
    }

    @Test("experts and recurrent layers")
    func hybrid() throws {
        let shape = try shape {
            $0.entries += [
                ("llama.expert_count", .u32(8)), ("llama.expert_used_count", .u32(2)),
                ("llama.ssm.conv_kernel", .u32(4)), ("llama.ssm.inner_size", .u32(128)),
                ("llama.ssm.state_size", .u32(16)), ("llama.ssm.group_count", .u32(1)),
                ("llama.attention.sliding_window_pattern", .array(type: 7, [.bool(true), .bool(false)])),
            ]
        }
        #expect(shape.experts == 8)
        #expect(shape.expertsUsed == .same(2))
        #expect(shape.ssmConvolution == 4)
        #expect(shape.ssmInner == 128)
        #expect(shape.ssmState == 16)
        #expect(shape.ssmGroups == 1)
        #expect(shape.slidingWindowPattern == .each([1, 0]))
    }

    @Test("vocabulary without a tokenizer")
    func vocabulary() throws {
        #expect(try shape { $0.entries[10] = ("llama.vocab_size", .u32(512)) }.vocabulary == 512)
        #expect(try shape { $0.entries.remove(at: 10) }.vocabulary == 3, "rows of the embedding")
    }

    @Test("values of another kind are absent, lists of another length are named")
    func odd() throws {
        let shape = try shape {
            $0.entries[4] = ("llama.context_length", .string("2048"))
            $0.entries[6] = ("llama.embedding_length", .i32(-64))
            $0.entries[9] = ("llama.attention.head_count_kv", .array(type: 5, [.i32(2), .i32(1), .i32(1)]))
        }
        #expect(shape.trainedContextTokens == nil)
        #expect(shape.hidden == nil)
        #expect(shape.warnings == ["attention.head_count_kv lists 3 layers of 2"])
    }

    @Test("a file without an architecture has no shape")
    func nameless() throws {
        let shape = try shape { $0.entries.removeFirst() }
        #expect(shape.architecture == nil)
        #expect(shape.layers == nil)
    }
}
