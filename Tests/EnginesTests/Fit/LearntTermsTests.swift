import Analysis
import Testing

@testable import Engines

@Suite("Learning from runs")
struct LearntTermsTests {
    private typealias Models = FitModels

    private func input(
        _ history: [FitObservation], artifact: String? = "m", compute: UInt64, context: Int = 8192
    ) -> FitInput {
        Models.input(context: context) {
            $0.artifact = artifact
            $0.engine = "e"
            $0.history = history
            $0.sizing = FitInput.Sizing(computeBytes: compute, repacks: false)
        }
    }

    @Test("fixed and scale are found, and other contexts are met")
    func line() throws {
        let runs = [(512, 20), (2048, 40), (4096, 90)].map { context, compute in
            Models.run(
                "r\(context)", context: context, fileBytes: 4 << 30, compute: UInt64(compute) << 20,
                fixed: 30 << 20, scale: 0.5)
        }
        let learnt = try #require(LearntTerms(input(runs, compute: 80 << 20)))
        #expect(abs(Double(learnt.fixedBytes) - Double(30 << 20)) < 4096)
        #expect(abs(Double(learnt.computeBytes) - Double(40 << 20)) < 4096)
        #expect(learnt.transientBytes < 4096)
        // Beyond what was seen, all more is taken to be used.
        let beyond = try #require(LearntTerms(input(runs, compute: 200 << 20)))
        #expect(abs(Double(beyond.computeBytes) - Double(155 << 20)) < 4096)
        #expect(learnt.runs == 3)
        let report = FitEstimate.report(input(runs, compute: 200 << 20), limit: Models.limit(64 << 30))
        #expect(report.learntFrom == 3)
        #expect(report.terms.contains { $0.name == .compute && $0.origin == .learnt })
        // What the next runs learn from is the buffer itself, not what was learnt of it.
        #expect(report.sizedCompute?.bytes == 200 << 20)
    }

    @Test("no run learnt from would have been under")
    func neverUnder() throws {
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<100 {
            let runs = (0..<Int.random(in: 1...6, using: &generator)).map { index in
                Models.run(
                    "r\(index)", of: index % 2 == 0 ? "m" : "n",
                    context: 512 << Int.random(in: 0...4, using: &generator),
                    fileBytes: UInt64.random(in: 1...8, using: &generator) << 28,
                    compute: UInt64.random(in: 1...300, using: &generator) << 20,
                    fixed: UInt64.random(in: 0...60, using: &generator) << 20,
                    scale: Double.random(in: 0...1.5, using: &generator))
            }
            for run in runs {
                var asked = Models.input(
                    fileBytes: run.terms[0].bytes, context: run.parameters.contextTokens)
                asked.engine = "e"
                asked.artifact = "unseen"
                asked.history = runs
                asked.sizing = FitInput.Sizing(computeBytes: run.sizedCompute.bytes, repacks: false)
                let need = try #require(
                    FitEstimate.report(asked, limit: Models.limit(64 << 30)).estimateBytes)
                #expect(need + 3 >= run.peakBytes)
            }
        }
    }

    @Test("from one run: more compute is used in full, less saves nothing")
    func oneRun() throws {
        let run = Models.run(
            "r", context: 2048, fileBytes: 4 << 30, compute: 100 << 20, fixed: 30 << 20, scale: 0.3)
        func sum(_ compute: UInt64) throws -> UInt64 {
            let learnt = try #require(LearntTerms(input([run], compute: compute << 20)))
            return learnt.fixedBytes + learnt.computeBytes + learnt.transientBytes
        }
        let rest: UInt64 = 60 << 20
        #expect(try sum(100) >= rest)
        #expect(try sum(10) >= rest)
        #expect(try sum(200) >= rest + (30 << 20))
        #expect(try sum(200) <= rest + (141 << 20))
    }

    @Test("runs of another engine's build teach nothing; of the same model they come first")
    func choice() throws {
        let other = Models.run(
            "o", engine: "f", context: 512, fileBytes: 4 << 30, compute: 1 << 20, fixed: 900 << 20)
        #expect(LearntTerms(input([other], compute: 1 << 20)) == nil)
        let own = [512, 2048].map {
            Models.run("m\($0)", context: $0, fileBytes: 4 << 30, compute: 10 << 20, fixed: 20 << 20)
        }
        let foreign = Models.run(
            "n", of: "n", context: 512, fileBytes: 1 << 30, compute: 10 << 20, fixed: 500 << 20)
        let learnt = try #require(LearntTerms(input(own + [foreign], compute: 10 << 20)))
        #expect(learnt.runs == 2)
        #expect(learnt.fixedBytes + learnt.transientBytes + learnt.computeBytes < 32 << 20)
        let unseen = try #require(LearntTerms(input(own + [foreign], artifact: "x", compute: 10 << 20)))
        #expect(unseen.runs == 3)
    }

    @Test("a measured peak of the same model, engine and context takes the place of the sum")
    func measured() {
        let run = Models.run("r", context: 8192, fileBytes: 4 << 30, compute: 1 << 20, fixed: 77 << 20)
        let same = FitEstimate.report(input([run], compute: 1 << 20), limit: Models.limit(64 << 30))
        #expect(same.measuredIn == "r")
        #expect(same.estimateBytes == run.peakBytes)
        #expect(same.newAllocation?.needBytes == run.peakAnonymousBytes)
        let other = FitEstimate.report(
            input([run], compute: 1 << 20, context: 4096), limit: Models.limit(64 << 30))
        #expect(other.measuredIn == nil)
        var types = input([run], compute: 1 << 20)
        types.parameters.cacheTypeV = "q8_0"
        #expect(FitEstimate.report(types, limit: Models.limit(64 << 30)).measuredIn == nil)
        // A run with shorter batches has not filled its buffers.
        var short = run
        short.parameters.stepTokens = 8
        let unfilled = FitEstimate.report(input([short], compute: 1 << 20), limit: Models.limit(64 << 30))
        #expect(unfilled.measuredIn == nil)
    }
}
