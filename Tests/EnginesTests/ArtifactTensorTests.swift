import Analysis
import Testing

@testable import Engines

@Suite("GGUF tensors")
struct ArtifactTensorTests {
    func refusal(_ change: (inout GGUFWriter) -> Void) -> String {
        var writer = GGUFWriter.model
        change(&writer)
        do throws(Failure) {
            _ = try GGUFHeader.parse(MemoryBytes(bytes: writer.bytes), thing: "m.gguf")
            return "taken"
        } catch {
            return error.cause
        }
    }

    @Test("offsets that overflow", arguments: [UInt64.max - 31, (1 << 63), UInt64.max - 2560 - 31])
    func offsetOverflow(offset: UInt64) {
        let cause = refusal { $0.tensors[2].offset = offset / 32 * 32 }
        #expect(cause.contains("overflow") || cause.contains("but the file ends"), "\(cause)")
    }

    @Test("offsets that are not aligned")
    func offsetAlignment() {
        #expect(refusal { $0.tensors[1].offset = 769 }.contains("769 is no multiple of the alignment 32"))
    }

    @Test("data that overlap")
    func overlap() {
        #expect(refusal { $0.tensors[2].offset = 768 }.contains("overlap"))
        #expect(refusal { $0.tensors[2].offset = 768 + 32 }.contains("overlap"))
    }

    @Test("dimensions")
    func dimensions() {
        let product = refusal {
            $0.tensors[0].dimensions = [1 << 32, 1 << 32]
            $0.tensors[0].dataBytes = 0
        }
        #expect(product.contains("makes more than 2^63 elements"))
        let one = refusal {
            $0.tensors[0].dimensions = [1 << 63]
            $0.tensors[0].dataBytes = 0
        }
        #expect(one.contains("a dimension of 9223372036854775808"))
        // As many elements as 63 bits hold, but their bytes overflow 64.
        let bytes = refusal {
            $0.tensors[0].dimensions = [1 << 62]
            $0.tensors[0].dataBytes = 0
        }
        #expect(bytes.contains("its size in bytes overflows"))
        // Patched dimension of a public exploit: (2^42 + 1) rows of 64 floats wrap to a small size in 32 bits.
        let patched = refusal {
            $0.tensors[0].dimensions = [64, (1 << 42) + 1]
            $0.tensors[0].dataBytes = 768
        }
        #expect(patched.contains("overlap") || patched.contains("but the file ends"), "\(patched)")
        let five = refusal { $0.tensors[0].dimensions = [1, 1, 1, 1, 1] }
        #expect(five.contains("5 dimensions, more than 4"))
        let row = refusal {
            $0.tensors[1].dimensions = [48, 64]
            $0.tensors[1].dataBytes = 1920
        }
        #expect(row.contains("a row of 48 elements is no multiple of the 32 that Q4_1"))
    }

    @Test("names")
    func names() {
        #expect(refusal { $0.tensors[1].name = "token_embd.weight" }.contains("it is there twice"))
        let long = String(repeating: "n", count: 256)
        #expect(refusal { $0.tensors[1].name = long }.contains("256 bytes, more than 255"))
    }

    @Test(
        "block sizes: bits per weight as published",
        arguments: [
            (UInt32(0), "F32", 32.0), (1, "F16", 16), (30, "BF16", 16), (2, "Q4_0", 4.5), (3, "Q4_1", 5),
            (6, "Q5_0", 5.5), (7, "Q5_1", 6), (8, "Q8_0", 8.5), (10, "Q2_K", 2.625), (11, "Q3_K", 3.4375),
            (12, "Q4_K", 4.5), (13, "Q5_K", 5.5), (14, "Q6_K", 6.5625), (16, "IQ2_XXS", 2.0625),
            (17, "IQ2_XS", 2.3125), (18, "IQ3_XXS", 3.0625), (19, "IQ1_S", 1.5625), (20, "IQ4_NL", 4.5),
            (21, "IQ3_S", 3.4375), (22, "IQ2_S", 2.5625), (23, "IQ4_XS", 4.25), (29, "IQ1_M", 1.75),
            (34, "TQ1_0", 1.6875), (35, "TQ2_0", 2.0625), (39, "MXFP4", 4.25), (40, "NVFP4", 4.5),
        ])
    func bitsPerWeight(code: UInt32, name: String, bits: Double) {
        #expect(TensorType(code: code).name == name)
        #expect(TensorType(code: code).bitsPerWeight == bits)
    }

    @Test("file types")
    func fileTypes() {
        #expect(FileType.name(3) == "Q4_1")
        #expect(FileType.name(1) == "F16")
        #expect(FileType.name(15) == "Q4_K_M")
        #expect(FileType.name(1024 + 8) == "Q5_0 (guessed)")
        #expect(FileType.name(77) == "file type 77")
        #expect(FileType.name(.max) != "")
    }

    @Test("what the tensors add up to")
    func summary() throws {
        var writer = GGUFWriter.model
        writer.tensors += [
            GGUFWriter.Tensor(name: "blk.0.ffn_up_exps.weight", dimensions: [64, 32, 8], type: 8),
            GGUFWriter.Tensor(name: "blk.0.ffn_up_shexp.weight", dimensions: [64, 32], type: 8),
            GGUFWriter.Tensor(name: "blk.1.ffn_gate.7.weight", dimensions: [64, 32], type: 8),
        ]
        let header = try GGUFHeader.parse(MemoryBytes(bytes: writer.bytes), thing: "m")
        let summary = TensorSummary(header.tensors)
        let expertElements: UInt64 = 64 * 32 * 9
        let q8: UInt64 = 64 * 32 * 10
        #expect(summary.shares.map(\.type.name) == ["Q8_0", "Q4_1", "F32"])
        #expect(summary.shares.map(\.elements) == [q8, 8192, 192])
        #expect(summary.shares.map(\.tensors) == [3, 2, 1])
        #expect(summary.parameters == q8 + 8192 + 192)
        #expect(summary.bytes == q8 / 32 * 34 + 5120 + 768)
        #expect(summary.expertBytes == expertElements / 32 * 34)
        #expect(summary.embeddingBytes == 768)
        #expect(summary.sharesEmbedding)
        let bits = Double(q8 / 32 * 34 + 5888) * 8 / Double(q8 + 8384)
        #expect(summary.bitsPerWeight == bits)
        #expect(summary.elementShares["Q4_1"] == 8192 / Double(q8 + 8384))
        #expect(TensorSummary([]).bitsPerWeight == nil)
        #expect(TensorSummary([]).elementShares.isEmpty)
    }
}
