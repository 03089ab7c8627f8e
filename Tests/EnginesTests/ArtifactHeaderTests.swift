import Analysis
import Testing

@testable import Engines

@Suite("GGUF header, well-formed")
struct ArtifactHeaderTests {
    func parse(_ writer: GGUFWriter) throws(Failure) -> GGUFHeader {
        try GGUFHeader.parse(MemoryBytes(bytes: writer.bytes), thing: "m.gguf")
    }

    @Test("a model's facts", arguments: [UInt32(2), 3])
    func facts(version: UInt32) throws {
        var writer = GGUFWriter.model
        writer.version = version
        let header = try parse(writer)
        #expect(header.version == version)
        #expect(header.alignment == 32)
        #expect(header.dataOffset == UInt64(writer.header.count))
        #expect(header.warnings.isEmpty)
        #expect(header.metadata.count == 12)
        #expect(header.metadata["general.name"]?.string == "Tiny")
        #expect(
            header.tensors.map(\.name) == ["token_embd.weight", "blk.0.attn_q.weight", "blk.1.attn_q.weight"])
        #expect(header.tensors.map(\.elements) == [192, 4096, 4096])
        // 64 x 3 x 4 bytes; 4,096 / 32 blocks of 20 bytes.
        #expect(header.tensors.map(\.bytes) == [768, 2560, 2560])
        #expect(header.tensors.map(\.offset) == [0, 768, 3328])
    }

    @Test("every type of value")
    func types() throws {
        var writer = GGUFWriter()
        writer.entries = [
            ("u8", .u8(.max)), ("i8", .i8(.min)), ("u16", .u16(.max)), ("i16", .i16(.min)),
            ("u32", .u32(.max)), ("i32", .i32(.min)), ("u64", .u64(.max)), ("i64", .i64(.min)),
            ("f32", .f32(1.5)), ("f64", .f64(-2.25)), ("yes", .bool(true)), ("no", .bool(false)),
            ("text", .string("naïve ☃")), ("empty", .string("")),
            ("numbers", .array(type: 3, [.i16(-1), .i16(2)])),
            ("flags", .array(type: 7, [.bool(true), .bool(false)])),
            ("words", .array(type: 8, [.string("a"), .string("")])),
            ("nothing", .array(type: 4, [])),
        ]
        let metadata = try parse(writer).metadata
        let expected: [String: GGUFValue] = [
            "u8": .unsigned(255), "i8": .signed(-128), "u16": .unsigned(65535), "i16": .signed(-32768),
            "u32": .unsigned(4_294_967_295), "i32": .signed(-2_147_483_648), "u64": .unsigned(.max),
            "i64": .signed(.min), "f32": .real(1.5), "f64": .real(-2.25), "yes": .bool(true),
            "no": .bool(false),
            "text": .string("naïve ☃"), "empty": .string(""),
            "numbers": .array(GGUFArray(elementType: .int16, count: 2, values: [.signed(-1), .signed(2)])),
            "flags": .array(GGUFArray(elementType: .bool, count: 2, values: [.bool(true), .bool(false)])),
            "words": .array(GGUFArray(elementType: .string, count: 2, emptyStrings: 1, firstEmptyString: 1)),
            "nothing": .array(GGUFArray(elementType: .uint32, count: 0, values: [])),
        ]
        #expect(metadata.mapValues(\.value) == expected)
    }

    @Test("an offset is where the value stands")
    func entryOffset() throws {
        var writer = GGUFWriter()
        writer.entries = [("ab", .u32(1))]
        // 24 bytes of counts, 8 + 2 of the key, 4 of the type.
        #expect(try parse(writer).metadata["ab"]?.offset == 38)
    }

    @Test("nested arrays are counted, and named as what llama.cpp refuses")
    func nested() throws {
        var writer = GGUFWriter()
        let inner = GGUFWriter.Value.array(type: 8, [.string("x"), .string("y")])
        writer.entries = [("pairs", .array(type: 9, [inner, inner, inner])), ("after", .u8(9))]
        let header = try parse(writer)
        #expect(header.metadata["pairs"]?.array == GGUFArray(elementType: .array, count: 3))
        #expect(header.metadata["after"]?.count == 9)
        #expect(header.warnings == ["pairs is an array of arrays, which llama.cpp refuses"])
    }

    @Test("long strings and arrays are stepped over, not kept")
    func long() throws {
        var writer = GGUFWriter()
        writer.entries = [
            ("kept", .string(String(repeating: "k", count: 4_096))),
            ("template", .string(String(repeating: "t", count: 200_000))),
            ("scores", .array(type: 6, Array(repeating: .f32(0), count: 50_000))),
            (
                "words",
                .array(type: 8, Array(repeating: .string(String(repeating: "w", count: 2_000)), count: 100))
            ),
            ("after", .u8(1)),
        ]
        let metadata = try parse(writer).metadata
        #expect(metadata["kept"]?.string?.utf8.count == 4_096)
        #expect(metadata["template"]?.value == .longString(bytes: 200_000))
        #expect(metadata["scores"]?.array == GGUFArray(elementType: .float32, count: 50_000))
        #expect(metadata["words"]?.array == GGUFArray(elementType: .string, count: 100))
        #expect(metadata["after"]?.count == 1)
    }

    @Test("an empty token is what llama.cpp makes of it: a warning")
    func emptyToken() throws {
        var writer = GGUFWriter.model
        writer.entries[10] = (
            "tokenizer.ggml.tokens", .array(type: 8, [.string("a"), .string(""), .string("")])
        )
        #expect(try parse(writer).warnings == ["2 tokens of the vocabulary are empty, the first is number 1"])
    }

    @Test("strings that are not UTF-8 are repaired and counted")
    func invalidText() throws {
        var writer = GGUFWriter.model
        writer.entries[1] = ("general.name", .bytes([0x54, 0xFF, 0x79]))
        writer.entries[10] = (
            "tokenizer.ggml.tokens", .array(type: 8, [.bytes([0xC3]), .string("a"), .string("b")])
        )
        let header = try parse(writer)
        #expect(header.metadata["general.name"]?.string == "T\u{FFFD}y")
        #expect(header.warnings == ["2 strings of the header are not UTF-8"])
    }

    @Test("an alignment of its own")
    func alignment() throws {
        var writer = GGUFWriter.model
        writer.alignment = 4096
        writer.entries.append(("general.alignment", .u32(4096)))
        let header = try parse(writer)
        #expect(header.alignment == 4096)
        #expect(header.dataOffset == 4096)
        #expect(header.tensors.map(\.offset) == [0, 4096, 8192])
    }

    @Test(
        "an unknown tensor type is listed by its number",
        arguments: [(UInt32(99), "type 99"), (31, "Q4_0_4_4")])
    func unknownType(code: UInt32, name: String) throws {
        var writer = GGUFWriter.model
        writer.tensors[1].type = code
        writer.tensors[1].dataBytes = 640
        let header = try parse(writer)
        #expect(header.tensors[1].type.name == name)
        #expect(header.tensors[1].bytes == nil)
        #expect(header.tensors[1].elements == 4096)
        #expect(header.warnings.isEmpty)
        let summary = TensorSummary(header.tensors)
        #expect(summary.parameters == 8384)
        #expect(summary.bytes == nil)
        #expect(summary.bitsPerWeight == nil)
        #expect(summary.elementShares[name] == 4096.0 / 8384)
    }

    @Test("gaps between tensors are named as what llama.cpp refuses")
    func gap() throws {
        var writer = GGUFWriter.model
        writer.tensors[2].offset = 3328 + 32
        writer.tensors[2].dataBytes = 2560 + 32
        #expect(
            try parse(writer).warnings
                == ["the tensors' data do not follow one another in order, which llama.cpp refuses"])
    }

    @Test("scalars, empty tensors and files without tensors")
    func degenerate() throws {
        var writer = GGUFWriter()
        writer.tensors = [
            GGUFWriter.Tensor(name: "scalar", dimensions: [], type: 0),
            GGUFWriter.Tensor(name: "none", dimensions: [0, 5], type: 0),
        ]
        #expect(try parse(writer).tensors.map(\.elements) == [1, 0])
        #expect(try parse(GGUFWriter()).dataOffset == 24)
    }
}
