import Analysis
import Testing

@testable import Session

@Suite struct WorkloadRequestTests {
    @Test(
        arguments: [
            (nil, nil, 4096), (32_768, nil, 4096), (2048, nil, 2048), (2048, 3000, 3000), (130, nil, 130),
        ] as [(UInt64?, Int?, Int)])
    func deepDecodesToTheEndOfTheContext(trained: UInt64?, asked: Int?, context: Int) throws {
        var request = WorkloadRequest()
        request.named = .deep
        request.contextTokens = asked
        let workload = try request.workload(trainedContext: trained)
        #expect(workload.contextTokens == context)
        #expect(workload.promptTokens == 128)
        #expect(workload.generatedTokens == context - 128)
    }

    @Test func aModelWithoutRoomForDeepIsRefused() {
        var request = WorkloadRequest()
        request.named = .deep
        #expect(throws: Failure.self) { try request.workload(trainedContext: 129) }
    }

    @Test func pbRandomIsAsPublished() throws {
        var request = WorkloadRequest()
        request.named = .pbRandom
        let workload = try request.workload(trainedContext: nil)
        #expect(workload.promptTokens == 128 && workload.generatedTokens == 256)
        #expect(workload.seed == 0 && workload.fixedPrompt == true && workload.sampling == "greedy")
        #expect(workload.prefillBatchTokens == 1)
        #expect(workload.cycles == 3)
    }

    @Test func onlyAWorkloadThatNobodyNamedMayBeSlowed() {
        #expect(WorkloadRequest().mayBeSlowed)
        var named = WorkloadRequest()
        named.named = .sustained
        #expect(!named.mayBeSlowed)
        var shaped = WorkloadRequest()
        shaped.generatedTokens = 256
        #expect(!shaped.mayBeSlowed)
    }
}

@Suite struct CyclePredictionTests {
    private func prediction(_ prefill: Double, _ step: Double) -> CyclePrediction {
        CyclePrediction(prefill: Seconds(prefill), step: Seconds(step), generatedTokens: 256)
    }

    /// 255 steps follow the token that comes with the prefill.
    @Test func aCycleIsItsPrefillAndItsSteps() {
        #expect(abs(prediction(4, 0.1).cycle.value - 29.5) < 1e-9)
    }

    @Test(arguments: [
        (4, 0.1, CyclePrediction.Verdict.fits, CyclePrediction.Verdict.fits),
        (4.5, 0.1, .fits, .fits),
        // The prompt alone makes it too long: a first one may be slower than any other.
        (4.51, 0.1, .unclear, .tooLong), (100, 0.01, .unclear, .tooLong),
        (1, 0.118, .tooLong, .tooLong),
    ])
    func verdicts(
        prefill: Double, step: Double, first: CyclePrediction.Verdict, later: CyclePrediction.Verdict
    ) {
        #expect(prediction(prefill, step).verdict(isFirst: true) == first)
        #expect(prediction(prefill, step).verdict(isFirst: false) == later)
    }

    private func edges(_ submit: UInt64?, _ first: UInt64?, _ last: UInt64?) -> GenerationEdges {
        var edges = GenerationEdges()
        for (mark, time) in [(MarkLine.Name.submit, submit), (.firstToken, first), (.lastToken, last)] {
            if let time { edges.add(mark, at: Instant(nanoseconds: time)) }
        }
        return edges
    }

    /// One slow first step (an engine that compiles something) does not decide.
    @Test func theStepInTheMiddleCounts() throws {
        var edges = edges(1_000_000_000, 3_000_000_000, 5_400_000_000)
        edges.add(steps: [2_000_000_000, 100_000_000, 98_000_000, 102_000_000, 100_000_000])
        #expect(edges.prefill == Seconds(2))
        #expect(try #require(edges.step(tokens: 6)) == Seconds(0.1))
    }

    @Test func withoutStampsTheMeanStepCounts() throws {
        let step = try #require(edges(0, 1_000_000_000, 2_000_000_000).step(tokens: 6))
        #expect(abs(step.value - 0.2) < 1e-9)
    }

    @Test func whatIsMissingOrOutOfOrderPredictsNothing() {
        #expect(edges(nil, 1, 2).prefill == nil)
        #expect(edges(2, 1, 3).prefill == nil)
        #expect(edges(0, 2, 1).decode == nil)
        #expect(edges(0, 1, nil).step(tokens: 6) == nil)
        #expect(edges(0, 1_000, 1_000).step(tokens: 1) == nil)
    }

    @Test func stampsOfALongGenerationAreNotHoarded() {
        var edges = GenerationEdges()
        for _ in 0..<100 { edges.add(steps: [UInt64](repeating: 1, count: 50)) }
        #expect(edges.steps.count == 64)
    }
}

@Suite struct RenewalWatchTests {
    private func source(_ index: Int, told: Int64?, seen: Int64? = nil) -> CountedSource {
        var line = SourceLine(
            index: index, id: "counter:\(index)", kind: .counter, quantity: .energy, scale: 1e-6,
            scope: .init(domain: "package", device: "x"), interface: "x", intervalNanoseconds: 10_000_000)
        line.updatePeriodNanoseconds = told
        return CountedSource(line: line, seenPeriod: seen.map(Nanoseconds.init))
    }

    /// Reads every 10 ms of counters with these periods, milliseconds.
    private func watch(_ sources: [CountedSource], periods: [Int], milliseconds: Int) -> RenewalWatch {
        var watch = RenewalWatch(sources)
        for time in stride(from: 0, to: milliseconds, by: 10) {
            watch.add(
                SampleLine(
                    time: Instant(nanoseconds: UInt64(time) * 1_000_000 + 1_000_000_000),
                    sources: sources.map(\.line.index), deltas: sources.map { _ in 1000 },
                    values: periods.map { Int64(time / $0) }))
        }
        return watch
    }

    @Test func theSlowestIsFoundByItsMoves() throws {
        let sources = [source(0, told: 1_000_000), source(1, told: nil), source(2, told: 1_000_000)]
        let watch = watch(sources, periods: [100, 1000, 5], milliseconds: 20_000)
        let slowest = try #require(watch.slowest)
        #expect(slowest.id == "counter:1")
        #expect(abs(slowest.period.value - 1) < 0.001)
    }

    /// One that moves at each read may move far more often: what the device says stands.
    @Test func aFastCounterKeepsWhatIsToldOfIt() {
        #expect(
            watch([source(0, told: 1_000_000)], periods: [1], milliseconds: 5000).slowest?.period
                == Seconds(0.001))
        #expect(watch([source(0, told: nil)], periods: [1], milliseconds: 5000).slowest == nil)
    }

    /// Too few moves say little: what a look before the run has seen stands.
    @Test func untilThenALookBeforeTheRunStands() {
        let few = watch([source(0, told: 1_000_000, seen: 900_000_000)], periods: [1000], milliseconds: 3000)
        #expect(few.slowest?.period == Seconds(0.9))
    }

    @Test func failedReadsAndOtherSourcesAreNothing() {
        var watch = RenewalWatch([source(0, told: nil)])
        for time in 0..<100 {
            watch.add(
                SampleLine(
                    time: Instant(nanoseconds: UInt64(time)), sources: [0, 7], deltas: [1, 1],
                    values: [nil, Int64(time)], errors: [0: 5]))
        }
        #expect(watch.slowest == nil)
    }
}
