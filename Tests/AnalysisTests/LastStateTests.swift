import Testing

@testable import Analysis

/// What a record says of an engine that died.
@Suite struct LastStateTests {
    private static let start = SyntheticRun.start

    private func moment(_ seconds: Double) -> Instant { SyntheticRun.moment(seconds) }

    private func mark(_ name: MarkLine.Name, _ seconds: Double, cycle: Int) -> MarkLine {
        MarkLine(name, part: .sustained, time: moment(seconds), cycle: cycle)
    }

    /// Cycle 4 is whole; of cycle 5 there are what `marks` and `tokens` say.
    private func trace(_ marks: [MarkLine], tokens: [TokensLine] = []) -> Trace {
        var trace = Trace(header: SyntheticRun().header)
        trace.marks = [
            mark(.submit, 1, cycle: 4), mark(.firstToken, 1.5, cycle: 4), mark(.lastToken, 2, cycle: 4),
        ]
        trace.marks += marks
        trace.tokens =
            [TokensLine(cycle: 4, stream: 0, first: 0, start: moment(1.5), deltas: [1, 1])] + tokens
        trace.outcome = OutcomeLine(.engineFailed, part: .sustained, cause: "SIGKILL")
        return trace
    }

    private func last(_ trace: Trace) throws -> LastState {
        try #require(Analyze.record(from: trace).outcome.last)
    }

    @Test func inTheMiddleOfADecode() throws {
        let batches = [
            TokensLine(cycle: 5, stream: 0, first: 0, start: moment(2.6), deltas: [1, 1, 1]),
            TokensLine(cycle: 5, stream: 0, first: 4, start: moment(2.7), deltas: [1]),
        ]
        let found = try last(
            trace([mark(.submit, 2.1, cycle: 5), mark(.firstToken, 2.6, cycle: 5)], tokens: batches))
        // The prompt of 128 and five of the six tokens: the newest has not been fed.
        #expect(found.tokens == .known(6) && found.kvDepthTokens == .known(133))
    }

    @Test func aFirstTokenWhoseStampsNeverCame() throws {
        let found = try last(trace([mark(.submit, 2.1, cycle: 5), mark(.firstToken, 2.6, cycle: 5)]))
        #expect(found.tokens == .known(1) && found.kvDepthTokens == .known(128))
    }

    @Test func inThePrompt() throws {
        let found = try last(trace([mark(.submit, 2.1, cycle: 5)]))
        #expect(found.tokens == .known(0))
        #expect(found.kvDepthTokens == .unavailable("the prompt was being read"))
    }

    @Test func betweenGenerationsAndBeforeAny() throws {
        #expect(try last(trace([])).tokens == .unavailable("between generations"))
        var early = trace([])
        (early.marks, early.tokens) = ([], [])
        #expect(try last(early).kvDepthTokens == .unavailable("no generation had begun"))
    }

    @Test func absurdStampsAreNoDepth() throws {
        let batch = TokensLine(cycle: 5, stream: 0, first: .max, start: moment(2.6), deltas: [1, 1])
        var absurd = trace([mark(.submit, 2.1, cycle: 5), mark(.firstToken, 2.6, cycle: 5)], tokens: [batch])
        #expect(try last(absurd).tokens == .known(1))
        absurd.tokens = [TokensLine(cycle: 5, stream: 0, first: .max - 1, start: moment(2.6), deltas: [])]
        #expect(try last(absurd).kvDepthTokens == .unavailable("no such depth"))
    }

    @Test func theLastReadingOfMemory() throws {
        var trace = trace([])
        #expect(try last(trace).memory == .unavailable("no memory was sampled"))
        func source(_ index: Int, _ id: String, scale: Double) -> SourceLine {
            SourceLine(
                index: index, id: id, kind: .gauge, quantity: .memory, scale: scale,
                scope: .init(domain: "process", device: "42"), interface: "procfs",
                intervalNanoseconds: 1_000_000_000)
        }
        trace.sources = [
            source(0, "process:rss", scale: 1024), source(1, "process:anonymous", scale: 1024),
            source(2, "memory:available", scale: 1024), source(3, "nvml:0/memory-used", scale: 1),
        ]
        trace.samples = [
            SampleLine(
                time: moment(1), sources: [0, 1, 2, 3], deltas: [1, 1, 1, 1], values: [10, 5, 900, 7]),
            SampleLine(time: moment(1.75), sources: [0, 1, 2], deltas: [1, 1, 1], values: [20, nil, 800]),
        ]
        let found = try last(trace)
        #expect(found.memory == .known(["rss": 20_480, "anonymous": 5_120, "available": 819_200]))
        #expect(found.memoryAgeSeconds == .known(0.25))
    }

    @Test func aCompletedRunHasNone() throws {
        #expect(try SyntheticRun().record.outcome.last == nil)
    }
}
