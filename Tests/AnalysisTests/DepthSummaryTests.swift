import Testing

@testable import Analysis

/// What a record says of ever longer contexts.
@Suite struct DepthSummaryTests {
    private func moment(_ seconds: Double) -> Instant { SyntheticRun.moment(seconds) }

    private func mark(_ name: MarkLine.Name, _ seconds: Double, cycle: Int? = nil) -> MarkLine {
        MarkLine(name, part: .deepening, time: moment(seconds), cycle: cycle)
    }

    private func depth(_ step: Int, _ seconds: Double, _ context: Int, _ fit: FitReport.Status) -> DepthLine {
        DepthLine(
            step: step, time: moment(seconds), contextTokens: context, fit: fit,
            estimateBytes: UInt64(context) << 20)
    }

    /// Of 512 tokens all were filled, with 100 steps a second; of 1024 there is what `marks` say.
    private func trace(_ marks: [MarkLine], kind: OutcomeLine.Kind) -> Trace {
        var trace = Trace(header: SyntheticRun().header)
        trace.depths = [depth(0, 1, 512, .fits), depth(1, 10, 1024, .doesNotFit)]
        trace.marks = [
            mark(.begin, 0.9), mark(.loadBegin, 1.1), mark(.loadEnd, 1.2), mark(.submit, 1.3, cycle: 0),
            mark(.firstToken, 1.5, cycle: 0), mark(.lastToken, 5.33, cycle: 0), mark(.unloadBegin, 9),
            mark(.unloadEnd, 9.5),
        ]
        trace.marks += marks
        trace.done = [
            DoneLine(
                part: .deepening, cycle: 0, promptTokens: 128, generatedTokens: 384, stop: "length",
                tokenHash: nil)
        ]
        trace.memory = [
            MemoryLine(point: .afterLoad, time: moment(1.25), bytes: ["rss": 700]),
            MemoryLine(point: .afterLoad, time: moment(10.5), bytes: ["rss": 900]),
        ]
        trace.outcome = OutcomeLine(.engineFailed, part: .deepening, cause: "SIGKILL", kind: kind)
        trace.end = EndLine(time: moment(20), sleptNanoseconds: 0)
        return trace
    }

    private func depths(_ trace: Trace) throws -> DepthSummary {
        try #require(Analyze.record(from: trace).depths)
    }

    @Test func theStepsAndTheDeepest() throws {
        let found = try depths(trace([], kind: .oomKill))
        #expect(found.steps.map(\.contextTokens) == [512, 1024])
        #expect(found.steps.map(\.completed) == [true, false])
        expect(found.steps[0].decodeTokensPerSecond, near: 100)
        #expect(found.steps[1].decodeTokensPerSecond.reason == "the generation did not end")
        #expect(found.steps.map(\.residentBytes) == [.known(700), .known(900)])
        #expect(found.deepestTokens == .known(512) && found.predictedEndTokens == .known(1024))
        #expect(found.end == .known(.oomKill))
    }

    @Test func thePhaseInWhichItEnded() throws {
        let load = [mark(.loadBegin, 10.1)]
        let prefill = load + [mark(.loadEnd, 10.2), mark(.submit, 10.3, cycle: 1)]
        let decode = prefill + [mark(.firstToken, 10.5, cycle: 1)]
        for (marks, phase) in [
            ([], .load), (load, .load), (prefill, .prefill), (decode, .decode),
        ] as [([MarkLine], DepthSummary.Phase)] {
            #expect(try depths(trace(marks, kind: .governor)).phase == .known(phase))
        }
        #expect(try depths(trace(load + [mark(.loadEnd, 10.2)], kind: .signal)).phase.value == nil)
    }

    @Test func anInterruptedRunHasNoEnd() throws {
        var trace = trace([], kind: .governor)
        (trace.outcome, trace.end) = (nil, nil)
        #expect(try depths(trace).end.value == nil)
        #expect(try depths(trace).deepestTokens == .known(512))
    }

    @Test func everyOtherRunHasNone() throws {
        #expect(try SyntheticRun().record.depths == nil)
    }

    @Test func aKindOfALaterVersion() throws {
        let line = #"{"kind":"eaten_by_a_grue","status":"engine_failed","type":"outcome"}"#
        guard case .outcome(let outcome) = try CanonicalJSON.decode(TraceLine.self, from: Array(line.utf8))
        else {
            Issue.record("no outcome")
            return
        }
        #expect(outcome.kind == .other && outcome.status == .engineFailed)
    }
}

/// What the session objected to is in the file and in no figure.
@Suite struct ObjectionTests {
    private func record(_ objections: [ObjectionLine]) throws -> Record {
        var run = SyntheticRun()
        run.seconds = 20
        var lines = run.lines
        lines.insert(contentsOf: objections.map(TraceLine.objection), at: lines.count - 2)
        return Analyze.record(from: try Trace.parse(lines.flatMap { try $0.encodedLine() }, name: "t"))
    }

    @Test func aCycleIsOutWithItsReason() throws {
        let whole = try record([])
        let refused = [5, 7].map { ObjectionLine(part: .sustained, cycle: $0, reason: "it lies") }
        let without = try record(refused)
        #expect(without.metrics.wholeCycles == whole.metrics.wholeCycles - 2)
        #expect(without.warnings.contains("cycles 5, 7: it lies: not used"))
        #expect(!without.windows.contains { $0.cycle == 5 || $0.cycle == 7 })
    }

    @Test func aLoadIsOutAndNoOther() throws {
        let record = try record([ObjectionLine(part: .loadCold, cycle: nil, reason: "it lies")])
        #expect(record.metrics.loadCold.seconds.value == nil)
        #expect(record.metrics.loadWarm.seconds.value != nil)
        #expect(record.warnings.contains("load_cold: it lies: its load and unload are not used"))
    }
}
