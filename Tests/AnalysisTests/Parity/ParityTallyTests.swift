import FoundationEssentials
import Testing

@testable import Analysis

@Suite struct ParityTallyTests {
    private static let vocabulary = 8
    private static let count = 100

    /// Logits by formula: at each position another token is the likely one.
    private func rows(
        scale: Float = 4, shift: Int = 0, changed: (Int, inout [Float]) -> Void = { _, _ in }
    ) -> [Float] {
        (0..<Self.count).flatMap { position in
            var row = (0..<Self.vocabulary).map { token in
                token == (position * 3 + shift) % Self.vocabulary ? scale : Float(token) / 100
            }
            changed(position, &row)
            return row
        }
    }

    private func tally(_ reference: [Float], _ variant: [Float]) -> ParityTally {
        var tally = ParityTally(
            vocabulary: Self.vocabulary, tokens: (0..<Self.count).map { Int32($0 * 3 % Self.vocabulary) })
        // In pieces, as they are scored; the last one is shorter.
        for first in stride(from: 0, to: Self.count, by: 32) {
            let piece = first * Self.vocabulary..<min(first + 32, Self.count) * Self.vocabulary
            reference[piece].withUnsafeBufferPointer { reference in
                variant[piece].withUnsafeBufferPointer { variant in
                    tally.add(reference: reference, variant: variant, first: first)
                }
            }
        }
        return tally
    }

    private func result(
        _ variant: [Float], reference: [Float]? = nil, _ relation: ParityRelation = .sameFile,
        thresholds: ParityThresholds? = nil
    ) -> ParityResult {
        tally(reference ?? rows(), variant).result(
            relation: relation, thresholds: thresholds,
            greedyDivergence: .unavailable("none in 64 tokens"))
    }

    @Test func theSameRowsPass() {
        let result = result(rows())
        #expect(result.verdict == .passed && result.reason == nil)
        #expect(result.positions == Self.count)
        #expect(result.top1Agreement.number == 1 && result.meanKL.number == 0 && result.p99KL.number == 0)
        #expect(result.thresholds == .sameWeights)
        #expect(result.control.value?.isRefused == true)
        #expect(result.control.value?.top1OrTie.number == 0)
        #expect(result.perplexity.reference == result.perplexity.variant)
    }

    /// Five of a hundred positions name another token; their divergence is known, that of the others is 0.
    @Test func figuresAreMeansOverPositions() throws {
        let variant = rows { position, row in
            if position % 20 == 7 { row.swapAt(position * 3 % 8, (position * 3 + 4) % 8) }
        }
        let result = result(variant)
        #expect(result.top1Agreement.number == 0.95)
        let swapped = [7, 27, 47, 67, 87].map { position -> Double in
            let range = position * Self.vocabulary..<(position + 1) * Self.vocabulary
            return LogitRowTests.divergence(Array(rows()[range]), Array(variant[range])) ?? .nan
        }
        let mean = swapped.reduce(0, +) / Double(Self.count)
        #expect(abs(try #require(result.meanKL.number) - mean) < 1e-12)
        #expect(mean > 0.01 && result.verdict == .wrong)
        guard case .value(let value, .bounds(let low, let high), _) = result.top1Agreement else {
            Issue.record("no interval")
            return
        }
        #expect(low < value && value < high && high <= 1)
        // The sorted divergences: 95 zeros and five; the quantile lies at index 98.01.
        let sorted = swapped.sorted()
        let p99 = sorted[3] * 0.99 + sorted[4] * 0.01
        #expect(abs(try #require(result.p99KL.number) - p99) < 1e-12)
    }

    /// Rounding decides between tokens that are as good as equal: no such choice makes a build wrong, however many
    /// there are. A token that is clearly less likely does, in more than one position of a hundred.
    @Test(arguments: [(Float(0.1), 1, ParityVerdict.passed), (0.3, 100, .passed), (0.3, 20, .wrong)])
    func aTieIsNoDisagreement(gap: Float, every: Int, verdict: ParityVerdict) {
        func pair(_ position: Int, _ row: inout [Float]) -> Int {
            let other = (position * 3 + 4) % 8
            row[other] = 4 - gap
            return other
        }
        let reference = rows { position, row in _ = pair(position, &row) }
        let variant = rows { position, row in
            let other = pair(position, &row)
            if position % every == every - 1 || every == 1 { row.swapAt(position * 3 % 8, other) }
        }
        let result = result(variant, reference: reference)
        let swapped = Double(Self.count / every)
        #expect(result.top1Agreement.number == 1 - swapped / 100)
        #expect(result.top1OrTie.number == (gap < 0.2 ? 1 : 1 - swapped / 100))
        #expect(result.tieNats == 0.2)
        #expect(result.verdict == verdict)
        #expect(result.meanKL.number ?? 1 < 0.01)
    }

    /// Uniform rows: every token costs ln 8.
    @Test func perplexityOfNoIdeaIsTheVocabulary() throws {
        let flat = [Float](repeating: 3, count: Self.count * Self.vocabulary)
        let result = result(flat, reference: rows(), .other)
        #expect(abs(try #require(result.perplexity.variant.number) - 8) < 1e-12)
        #expect(result.perplexity.reference.number ?? 0 > 1)
    }

    @Test(arguments: [ParityRelation.sameFile, .identicalHeader])
    func theSameWeightsHaveToAgree(relation: ParityRelation) {
        #expect(result(rows(scale: 4.2), relation).verdict == .passed)
        #expect(result(rows(scale: 1), relation).verdict == .wrong)
        #expect(result(rows(shift: 1), relation).verdict == .wrong)
    }

    @Test func otherWeightsAreReportedUnlessThresholdsAreGiven() {
        let variant = rows(scale: 1)
        #expect(result(variant, .other).verdict == .reported)
        #expect(result(variant, .other).thresholds == nil)
        let loose = ParityThresholds(top1OrTie: 0.9, meanKL: 1)
        #expect(result(variant, .other, thresholds: loose).verdict == .passed)
        let strict = ParityThresholds(top1OrTie: 0.9, meanKL: 0.001)
        #expect(result(variant, .other, thresholds: strict).verdict == .failed)
    }

    /// An engine that says the same at every position agrees with itself however the positions are paired.
    @Test func aControlThatPassesMakesItUntellable() {
        let flat = [Float](repeating: 3, count: Self.count * Self.vocabulary)
        let result = result(flat, reference: flat)
        #expect(result.verdict == .cannotTell)
        #expect(result.reason?.contains("wrong pairing") == true)
        #expect(result.control.value?.isRefused == false)
    }

    @Test func whatIsNoNumberIsWrongInTheVariantAndUntellableInTheReference() {
        let broken = rows { position, row in if position == 40 { row[3] = .nan } }
        let wrong = result(broken, .other)
        #expect(wrong.verdict == .wrong)
        #expect(wrong.reason == "the logits of position 40 are not numbers")
        #expect(wrong.positions == Self.count - 1)
        let untellable = result(rows(), reference: broken)
        #expect(untellable.verdict == .cannotTell)
        #expect(untellable.reason?.contains("position 40") == true)
        let all = [Float](repeating: .nan, count: Self.count * Self.vocabulary)
        #expect(result(all).verdict == .wrong)
    }

    @Test func anImpossibleTokenIsWrongWithoutANumber() {
        let result = result(rows { position, row in if position == 5 { row[0] = -.infinity } })
        #expect(result.verdict == .wrong)
        #expect(result.meanKL.number == nil && result.meanKL.reason?.contains("infinite") == true)
    }

    @Test func itComesBackFromJSON() throws {
        for result in [result(rows()), .cannotTell("another tokenizer", relation: .other)] {
            let bytes = try CanonicalJSON.document(result)
            #expect(try CanonicalJSON.decode(ParityResult.self, from: bytes) == result)
            let document = try CanonicalJSON.decode(JSONValue.self, from: bytes)
            for key in ParityResult.CodingKeys.allCases { #expect(document[key.rawValue] != nil) }
        }
    }

    @Test func aSentenceHasTheNumbersOrTheReason() {
        #expect(
            result(rows()).sentence
                == "same: top-1 1, 1 with ties of 0.2 nats, mean KL 0 nats over 100 positions")
        #expect(
            ParityResult.cannotTell("another tokenizer", relation: .other).sentence
                == "cannot tell: another tokenizer")
        let broken = rows { position, row in if position == 40 { row[3] = .nan } }
        #expect(
            result(broken).sentence.hasPrefix("wrong: the logits of position 40 are not numbers; top-1 1,"))
    }

    @Test func theTextIsLongEnoughAndPlain() {
        #expect(ParityText.text.utf8.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) })
        #expect(ParityText.text.split(whereSeparator: \.isWhitespace).count > 350)
    }
}
