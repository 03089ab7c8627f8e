import Testing
import WorkerProtocol

@Suite struct SeededTokensTests {
    /// The numbers that Vigna's splitmix64.c (https://prng.di.unimi.it) gives for this seed.
    @Test func splitMix64GivesTheReferenceNumbers() {
        var generator = SplitMix64(seed: 1_234_567)
        let numbers = (0..<5).map { _ in generator.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ])
    }

    @Test func boundedNumbersAreTheHighPartOfTheProduct() {
        var generator = SplitMix64(seed: 1_234_567)
        // 6457827717110365317 / 2^64 = 0.35007...; the next 0.17364..., 0.53220..., 0.24900..., 0.88952...
        #expect((0..<5).map { _ in generator.next(below: 1000) } == [350, 173, 532, 249, 889])
    }

    @Test func everyNumberIsBelowItsBound() {
        var generator = SplitMix64(seed: 0)
        for bound: UInt32 in [1, 2, 3, 49_152, .max] {
            for _ in 0..<1000 { #expect(generator.next(below: bound) < bound) }
        }
    }

    @Test func aPromptIsItsSeedAndLength() {
        let prompt = SeededTokens.prompt(seed: 5, count: 128, vocabulary: 32_000)
        #expect(prompt.count == 128)
        #expect(prompt == SeededTokens.prompt(seed: 5, count: 128, vocabulary: 32_000))
        #expect(Array(prompt[..<16]) == SeededTokens.prompt(seed: 5, count: 16, vocabulary: 32_000))
        #expect(prompt != SeededTokens.prompt(seed: 6, count: 128, vocabulary: 32_000))
        #expect(SeededTokens.prompt(seed: 5, count: 0, vocabulary: 32_000).isEmpty)
        #expect(SeededTokens.prompt(seed: 5, count: -1, vocabulary: 32_000).isEmpty)
    }

    /// FNV-1a of no bytes is the offset basis; the rest was computed with a separate implementation.
    @Test func theHashIsFNV1aOverLittleEndianIds() {
        var hash = TokenHash()
        #expect(hash.text == "cbf29ce484222325")
        hash.add(1)
        #expect(hash.text == "ad2aca7747985764")
        hash.add(-1)
        #expect(hash.text == "f92ed8f4ce1c3300")
        var small = TokenHash()
        small.add(478)
        #expect(small.text == "0007ca77a9d1b680")
    }
}
