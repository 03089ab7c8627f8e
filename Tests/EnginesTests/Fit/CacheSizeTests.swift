import Analysis
import Testing

@testable import Engines

@Suite("Size of the cache")
struct CacheSizeTests {
    private func size(
        _ shape: ModelShape, context: Int = 4096, _ change: (inout FitParameters) -> Void = { _ in }
    ) -> CacheSize {
        var parameters = FitParameters(contextTokens: context)
        change(&parameters)
        return CacheSize(shape, parameters)
    }

    @Test("a dense model: layers x heads x (K + V) x context")
    func dense() {
        // 32 layers x 8 heads x 128 x 2 bytes x 2 x 4096 tokens.
        #expect(size(FitModels.dense).kvBytes == 512 << 20)
        #expect(size(FitModels.dense).recurrentBytes == 0)
        #expect(size(FitModels.dense).cells == 4096)
        #expect(!size(FitModels.dense).isGuessed)
    }

    @Test("as llama.cpp measures it: SmolLM2 at 640 is laid out for 768")
    func padded() {
        var shape = ModelShape()
        shape.architecture = "llama"
        shape.layers = 30
        shape.hidden = 576
        shape.heads = .same(9)
        shape.kvHeads = .same(3)
        #expect(Double(size(shape, context: 640).kvBytes) / 1_048_576 == 16.875)
        #expect(Double(size(shape, context: 8192).kvBytes) / 1_048_576 == 180)
        let quantized = size(shape, context: 8192) {
            $0.cacheTypeK = "q8_0"
            $0.cacheTypeV = "q8_0"
        }
        #expect(Double(quantized.kvBytes) / 1_048_576 == 95.625)
    }

    @Test("K and V of different types and widths")
    func unequal() {
        var shape = FitModels.dense
        shape.keyLength = 192
        let mixed = size(shape) { $0.cacheTypeK = "q8_0" }
        let tokens: UInt64 = 32 * 4096
        #expect(mixed.kvBytes == tokens * (8 * 192 / 32 * 34 + 8 * 128 * 2))
    }

    @Test("layers without attention keep nothing")
    func perLayer() {
        var shape = FitModels.dense
        shape.layers = 4
        shape.kvHeads = .each([8, 0, 4, 0])
        #expect(size(shape).kvBytes == 12 * 128 * 2 * 2 * 4096)
    }

    @Test("sliding layers keep their window and a batch")
    func sliding() {
        var shape = FitModels.dense
        shape.architecture = "gemma3"
        shape.layers = 12
        shape.slidingWindow = 1024
        // Of six layers one sees the whole context; 1024 + 512 cells are a multiple of 256.
        let row: UInt64 = 8 * 128 * 2 * 2
        #expect(size(shape, context: 8192).kvBytes == row * (2 * 8192 + 10 * 1536))
        // A context below the window is all there is.
        #expect(size(shape, context: 512).kvBytes == row * 12 * 512)
        shape.slidingWindowPattern = .each([1, 0] + [UInt64](repeating: 1, count: 10))
        #expect(size(shape, context: 8192).kvBytes == row * (8192 + 11 * 1536))
        // An architecture whose rule is not known is taken for the larger.
        shape.architecture = "unheard-of"
        shape.slidingWindowPattern = nil
        #expect(size(shape, context: 8192).kvBytes == row * 12 * 8192)
    }

    @Test("latent attention keeps one head of keys")
    func latent() {
        var shape = FitModels.dense
        shape.architecture = "deepseek2"
        shape.kvHeads = .same(1)
        shape.keyLength = 576
        shape.valueLength = 512
        shape.keyLengthMLA = 192
        shape.valueLengthMLA = 128
        #expect(size(shape).kvBytes == 32 * 576 * 2 * 4096)
    }

    @Test("hybrids: attention in some layers, a state in the others")
    func hybrid() {
        var shape = FitModels.dense
        shape.architecture = "granitehybrid"
        shape.layers = 4
        shape.kvHeads = .each([0, 0, 8, 0])
        shape.ssmConvolution = 4
        shape.ssmInner = 8192
        shape.ssmState = 128
        shape.ssmGroups = 1
        let hybrid = size(shape)
        #expect(hybrid.kvBytes == 8 * 128 * 2 * 2 * 4096)
        #expect(hybrid.recurrentBytes == 3 * (3 * (8192 + 2 * 128) + 128 * 8192) * 4)
        // The state does not grow with the context.
        #expect(size(shape, context: 65_536).recurrentBytes == hybrid.recurrentBytes)

        shape.architecture = "qwen3next"
        shape.kvHeads = .same(8)
        #expect(size(shape).kvBytes == hybrid.kvBytes)
        #expect(size(shape).recurrentBytes == hybrid.recurrentBytes)

        shape.architecture = "mamba2"
        #expect(size(shape).kvBytes == 0)
        #expect(size(shape).cells == 0)
        #expect(size(shape).recurrentBytes == hybrid.recurrentBytes / 3 * 4)

        shape.architecture = "falcon-h1"
        #expect(size(shape).kvBytes == hybrid.kvBytes * 4)
        #expect(size(shape).recurrentBytes == hybrid.recurrentBytes / 3 * 4)
    }

    @Test("what the header does not tell is a guess, and says so")
    func guessed() {
        var shape = FitModels.dense
        shape.heads = nil
        shape.kvHeads = nil
        let guess = size(shape)
        #expect(guess.isGuessed)
        #expect(guess.kvBytes == 32 * 4096 * 2 * 2 * 4096)
        #expect(size(ModelShape()).isGuessed)
        #expect(size(FitModels.dense) { $0.cacheTypeK = "no_such_type" }.isGuessed)
    }

    @Test("absurd headers saturate instead of trapping")
    func absurd() {
        var shape = FitModels.dense
        shape.layers = 65_536
        shape.kvHeads = .same(.max)
        shape.keyLength = .max
        shape.ssmInner = .max
        shape.ssmState = .max
        shape.ssmGroups = .max
        shape.slidingWindow = .max
        shape.slidingWindowPattern = .same(.max)
        shape.architecture = "falcon-h1"
        let size = size(shape, context: .max)
        #expect(size.kvBytes == .max)
        #expect(size.recurrentBytes == .max)
    }
}
