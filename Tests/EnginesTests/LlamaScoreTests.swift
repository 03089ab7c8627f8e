import Analysis
import FoundationEssentials
import Testing
import WorkerProtocol

@testable import Engines

#if Llama
/// What the llama worker thinks of given tokens.
@Suite("Scores of the llama worker", .enabled(if: LlamaWorker.model != nil), .serialized)
struct LlamaScoreTests {
    private static let prompt = SeededTokens.prompt(seed: 1, count: 16, vocabulary: 49_152)

    private func loaded(batch: Int? = nil) throws -> ScriptedWorker {
        let worker = try LlamaWorker.started().worker
        try worker.process.send(.go)
        _ = try worker.ask(.load(LlamaWorker.request { $0.batchTokens = batch }), until: "loaded")
        return worker
    }

    /// The rows of some tokens.
    private func score(_ tokens: [Int32], at first: Int = 0, _ worker: ScriptedWorker) throws -> [[Float]] {
        let file = worker.directory.path + "/rows.f32"
        let events = try worker.ask(
            .score(ScoreRequest(tokens: tokens, first: first, file: file)), until: "scored")
        guard case .scored(let scored)? = events.last else { return [] }
        #expect(scored.first == first && scored.positions == tokens.count)
        let bytes = try Data(contentsOf: URL(filePath: file))
        let length = scored.vocabularyTokens * MemoryLayout<Float>.size
        #expect(bytes.count == tokens.count * length)
        return bytes.withUnsafeBytes { bytes in
            (0..<tokens.count).map { row in
                (0..<scored.vocabularyTokens).map {
                    bytes.loadUnaligned(fromByteOffset: row * length + $0 * 4, as: Float.self)
                }
            }
        }
    }

    private func top(_ row: [Float]?) -> Int32 {
        let best = row?.indices.max { (row?[$0] ?? 0) < (row?[$1] ?? 0) }
        return Int32(best ?? -1)
    }

    /// Fed back one by one, the likeliest tokens are those that `generate` makes of the same prompt.
    @Test func theLikeliestTokensAreThoseThatAreGenerated() throws {
        let worker = try loaded()
        var token = top(try score(Self.prompt, worker).last)
        var hash = TokenHash()
        for position in 16..<20 {
            hash.add(token)
            token = top(try score([token], at: position, worker).last)
        }
        let done = try worker.ask(LlamaWorkerTests.generate(seed: 1, generated: 4), until: "done").last?.done
        #expect(done?.tokenHash == hash.text)
    }

    /// In pieces, with a batch smaller than a piece, and whole.
    @Test func piecesSayWhatTheWholeSays() throws {
        let worker = try loaded(batch: 32)
        let whole = try score(Self.prompt, worker)
        let pieces =
            try score(Array(Self.prompt[..<5]), worker) + score(Array(Self.prompt[5...]), at: 5, worker)
        let small = try score(Self.prompt, try loaded(batch: 4))
        for (index, row) in whole.enumerated() {
            for other in [pieces[index], small[index]] {
                #expect(top(row) == top(other))
                let largest = zip(row, other).map { abs($0 - $1) }.max() ?? .infinity
                // Batches of another size take other kernels, and logits go up to 20.
                #expect(largest < 0.5)
            }
        }
        #expect(Set(whole.map(top)).count > 1)
    }

    @Test func tokensThatDoNotFollowAreRefused() throws {
        let worker = try loaded()
        func refusal(_ tokens: [Int32], at first: Int) throws -> String? {
            let file = worker.directory.path + "/rows.f32"
            let error = try worker.failure(
                of: .score(ScoreRequest(tokens: tokens, first: first, file: file)))
            #expect(error.code == "refused")
            return error.cause
        }
        #expect(try refusal([1], at: 3) == "position 3 does not follow the 0 tokens scored before")
        #expect(try refusal([], at: 0) == "there are no tokens to score")
        #expect(try refusal([1, 49_152], at: 0) == "token 49152 is not in the vocabulary of 49152")
        #expect(try refusal([-1], at: 0)?.contains("token -1") == true)
        #expect(
            try refusal([Int32](repeating: 1, count: 257), at: 0)?.contains("do not fit the context") == true)
        // A generation clears the context.
        _ = try score([1, 2], worker)
        _ = try worker.ask(LlamaWorkerTests.generate(seed: 1, generated: 1), until: "done")
        #expect(try refusal([3], at: 2)?.contains("follow the 0 tokens") == true)
        // The worker goes on.
        #expect(try score([1, 2], worker).count == 2)
    }

    @Test func aTextHasTheTokensOfItsTokenizer() throws {
        let worker = try loaded()
        func tokens(_ text: String) throws -> [Int32] {
            let events = try worker.ask(.tokenize(TokenizeRequest(text: text)), until: "tokenized")
            guard case .tokenized(let answer)? = events.last else { return [] }
            return answer.tokens
        }
        let words = try tokens("The ferry leaves at 7:15.")
        #expect((5...15).contains(words.count) && words.allSatisfy { (0..<49_152).contains($0) })
        #expect(try tokens("The ferry leaves at 7:15.") == words)
        #expect(try tokens("") == [])
        // No text can become a special token: SmolLM2 has <|im_end|> as one.
        #expect(try tokens("<|im_end|>").count > 1)
    }

    @Test func aFileThatCannotBeWrittenIsAnError() throws {
        let worker = try loaded()
        let error = try worker.failure(
            of: .score(ScoreRequest(tokens: [1], first: 0, file: "/nowhere/rows.f32")))
        #expect(error.cause.contains("No such file"))
        #expect(try score([1], worker).count == 1)
    }
}
#endif
