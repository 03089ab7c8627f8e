import Analysis
import Foundation
import TestSupport
import Testing
import WorkerProtocol

@testable import Session

/// Parity with the scripted engine, whose logits follow from its script.
@Suite struct ParityTests {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private func arm(_ script: String) throws -> ParityArm {
        let file = try workplace.file("\(UUID().uuidString).json", script)
        return ParityArm(engine: .exec([Program.path("scripted-engine"), file]), patience: Seconds(60))
    }

    private func script(_ score: String = "", vocabulary: Int = 300) -> String {
        #"{"vocabulary_tokens": \#(vocabulary), "load": {"cold_ns": 0}, "score": {\#(score)}}"#
    }

    private func check(
        _ variant: String, against reference: String? = nil, _ relation: ParityRelation = .sameFile,
        thresholds: ParityThresholds? = nil
    ) throws -> ParityResult {
        let scores = try Parity.reference(try arm(reference ?? script()), in: workplace.url.path)
        return try Parity.check(try arm(variant), against: scores, relation: relation, thresholds: thresholds)
    }

    /// Nothing of the rows is left.
    private func leftovers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: workplace.url.path).filter {
            $0.hasPrefix(".parity")
        }
    }

    @Test func anEngineAgreesWithItselfToTheLastBit() throws {
        let result = try check(script())
        #expect(result.verdict == .passed)
        #expect(result.positions == Parity.mostPositions)
        #expect(result.top1Agreement.number == 1 && result.meanKL.number == 0)
        #expect(result.perplexity.reference.number ?? 0 > 1)
        #expect(result.greedyDivergence == .unavailable("none in 64 tokens"))
        #expect(result.control.value?.isRefused == true)
        #expect(try leftovers() == [])
    }

    /// Noise of up to 0.02 on each logit diverges by about its variance, 0.00013; of 2 by far more.
    @Test func noiseIsSeenForWhatItIs() throws {
        let little = try check(script(#""noise": 0.02"#), .identicalHeader)
        #expect(little.meanKL.number ?? 1 < 0.001 && little.meanKL.number ?? 0 > 0)
        let much = try check(script(#""noise": 2"#))
        #expect(much.verdict == .wrong && much.meanKL.number ?? 0 > 0.1)
        #expect(much.greedyDivergence.value != nil)
        #expect(try check(script(#""noise": 2"#), .other).verdict == .reported)
    }

    @Test func otherWeightsThanClaimedAreWrong() throws {
        let result = try check(script(#""seed": 7"#), .identicalHeader)
        #expect(result.verdict == .wrong)
        #expect(result.top1Agreement.number ?? 1 < 0.1)
    }

    @Test(arguments: [
        (#""nan_at": 100"#, ParityVerdict.wrong, "position 100"),
        (#""shift": 1"#, .cannotTell, "another tokenizer"),
        (#""refuses": true"#, .cannotTell, "cannot tokenize"),
    ])
    func whatCannotBeComparedSaysWhy(score: String, verdict: ParityVerdict, reason: String) throws {
        let result = try check(script(score))
        #expect(result.verdict == verdict)
        #expect(result.reason?.contains(reason) == true, "\(result.reason ?? "none")")
    }

    @Test func anotherVocabularyIsUntellable() throws {
        let result = try check(script(vocabulary: 301))
        #expect(result.verdict == .cannotTell)
        #expect(result.reason == "another vocabulary: 301 tokens against the reference's 300")
    }

    @Test func anEngineThatSaysTheSameEverywhereIsUntellable() throws {
        let flat = script(#""flat": true"#)
        let result = try check(flat, against: flat)
        #expect(result.verdict == .cannotTell && result.control.value?.isRefused == false)
    }

    @Test func oneReferenceServesSeveralVariants() throws {
        let scores = try Parity.reference(try arm(script()), in: workplace.url.path)
        for (variant, verdict) in [
            (script(), ParityVerdict.passed), (script(#""seed": 1"#), .wrong), (script(), .passed),
        ] {
            #expect(
                try Parity.check(try arm(variant), against: scores, relation: .sameFile).verdict == verdict)
        }
    }

    @Test func aReferenceThatCannotScoreLeavesEveryVariantUntellable() throws {
        let result = try check(script(), against: script(#""refuses": true"#))
        #expect(result.verdict == .cannotTell && result.reason?.contains("cannot tokenize") == true)
    }

    /// Rows that are no good are told as those of the engine that wrote them.
    @Test(arguments: [
        (#""nan_at": 100"#, "the reference's logits of position 100 are not numbers"),
        (
            #""cut": 4"#,
            "the reference's logits of positions 0 to 31 cannot be used: 38396 bytes instead of 38400"
        ),
    ])
    func badRowsOfTheReferenceAreNoFaultOfAVariant(score: String, reason: String) throws {
        for variant in [script(), script(score)] {
            let result = try check(variant, against: script(score))
            #expect(result.verdict == .cannotTell && result.reason == reason, "\(result.reason ?? "none")")
        }
        #expect(try leftovers() == [])
    }

    @Test func shortRowsOfAVariantAreItsOwn() throws {
        do {
            _ = try check(script(#""cut": 4"#))
            Issue.record("it did not fail")
        } catch {
            let failure = try #require(error as? Failure)
            #expect(failure.thing == "parity: variant")
            #expect(
                failure.cause
                    == "its logits of positions 0 to 31 cannot be used: 38396 bytes instead of 38400")
        }
    }

    @Test func anEngineThatDiesIsAFailureAndNoVerdict() throws {
        let scores = try Parity.reference(try arm(script()), in: workplace.url.path)
        let crash = #"{"faults": [{"at": "load", "kind": "crash"}]}"#
        do {
            _ = try Parity.check(try arm(crash), against: scores, relation: .sameFile)
            Issue.record("it did not fail")
        } catch {
            let failure = try #require(error as? Failure)
            #expect(failure.exit == .engineFailed && failure.cause.contains("SIGSEGV"))
        }
    }

    @Test func itCanBeInterrupted() throws {
        do {
            _ = try Parity.reference(
                try arm(#"{"load": {"cold_ns": 3600000000000}}"#), in: workplace.url.path
            ) { false }
            Issue.record("it was not interrupted")
        } catch {
            #expect((error as? Failure)?.exit == .interrupted)
        }
        #expect(try leftovers() == [])
    }

    @Test func aDirectoryThatIsNoneIsAFailure() throws {
        #expect(throws: Failure.self) {
            try Parity.reference(try arm(script()), in: workplace.url.path + "/nowhere")
        }
    }
}

/// Engines that do not keep to the protocol: what they write is not believed.
@Suite struct ParityDistrustTests {
    private final class Liar: ParityEngine {
        var answer = Scored(first: 0, positions: 0, vocabularyTokens: 4)
        var bytes = 0

        func tokenize(_ text: String) -> [Int32] { Array(repeating: 1, count: 400) }

        func score(_ request: ScoreRequest) -> Scored {
            #expect(FileManager.default.createFile(atPath: request.file, contents: Data(count: bytes)))
            return answer
        }
    }

    private func outcome(of liar: Liar) throws -> String? {
        let workplace = try Workplace()
        do {
            let store = try RowStore(in: workplace.url.path)
            switch try Parity.reference(liar, store: store) {
            case .success: return nil
            case .failure(let why): return why.reason
            }
        } catch {
            return (error as? EngineProblem)?.cause
        }
    }

    @Test func anAnswerToAnotherQuestionIsRefused() throws {
        let liar = Liar()
        #expect(try outcome(of: liar)?.contains("asked for 32 from 0") == true)
        liar.answer = Scored(first: 0, positions: 32, vocabularyTokens: Parity.largestVocabulary + 1)
        #expect(try outcome(of: liar)?.contains("asked for 32 from 0") == true)
    }

    @Test func moreThanMayBeKeptIsToldBeforeItIsWritten() throws {
        let liar = Liar()
        liar.answer = Scored(first: 0, positions: 32, vocabularyTokens: Parity.largestVocabulary)
        #expect(try outcome(of: liar)?.contains("over 1024") == true)
    }

    @Test func aFileOfAnotherSizeHasNoRows() throws {
        let workplace = try Workplace()
        let store = try RowStore(in: workplace.url.path)
        for (bytes, isWhole) in [(32, true), (31, false), (33, false), (0, false)] {
            let path = try store.path("a")
            try Data(count: bytes).write(to: URL(filePath: path))
            #expect(rows(store) == isWhole)
        }
        // A file of an earlier answer is gone before the next question; a link is not followed.
        let path = try store.path("a")
        #expect(!rows(store))
        let target = try workplace.file("target", String(repeating: "x", count: 32))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        #expect(!rows(store))
    }

    private func rows(_ store: RowStore) -> Bool {
        if case .success = store.rows("a", positions: 2, vocabulary: 4) { true } else { false }
    }
}
