import Testing

@testable import Analysis

@Suite struct WindowTests {
    private static func timeline(_ marks: [MarkLine], _ more: (inout Trace) -> Void = { _ in }) -> Timeline {
        var trace = Trace(header: SyntheticRun().header)
        trace.marks = marks
        more(&trace)
        return Timeline(trace)
    }

    private static func mark(
        _ name: MarkLine.Name, _ part: Part, _ time: Double, _ cycle: Int? = nil
    ) -> MarkLine {
        MarkLine(name, part: part, time: SyntheticRun.moment(time), cycle: cycle)
    }

    private static func generation(
        _ cycle: Int, _ part: Part, _ times: (Double, Double, Double)
    ) -> [MarkLine] {
        [
            mark(.submit, part, times.0, cycle), mark(.firstToken, part, times.1, cycle),
            mark(.lastToken, part, times.2, cycle),
        ]
    }

    private static func done(_ cycle: Int, _ generated: Int, stop: String = "length") -> DoneLine {
        DoneLine(
            part: .sustained, cycle: cycle, promptTokens: 8, generatedTokens: generated, stop: stop,
            tokenHash: nil)
    }

    @Test func aCycleEndsWithTheNextSubmitOfItsPart() {
        let marks =
            Self.generation(1, .warmup, (1, 2, 3)) + Self.generation(2, .warmup, (4, 5, 6))
            + Self.generation(3, .sustained, (10, 11, 12)) + Self.generation(4, .sustained, (12.5, 13, 14))
        let windows = Self.timeline(marks) { $0.done = (1...4).map { Self.done($0, 5) } }.windows
        let cycles = windows.filter { $0.name == "cycle" }
        #expect(cycles.map(\.cycle) == [1, 2, 3, 4])
        #expect(cycles.map(\.begin) == [1, 4, 10, 12.5])
        #expect(cycles.map(\.end) == [4, 6, 12.5, 14])
        #expect(cycles.map(\.tokens) == [5, 5, 5, 5])
        #expect(windows.filter { $0.name == "gap" }.map(\.begin) == [3, 12])
        #expect(windows.filter { $0.name == "prefill" }.map(\.tokens) == [8, 8, 8, 8])
        #expect(windows.filter { $0.name == "decode" }.map(\.tokens) == [4, 4, 4, 4])
        #expect(windows.allSatisfy { $0.whole })
        #expect(windows.map(\.begin) == windows.map(\.begin).sorted())
    }

    @Test func namedWindowsOfAWholeRun() throws {
        var run = SyntheticRun()
        run.seconds = 3
        let windows = try run.record.windows
        func lengths(_ name: String) -> [Double] {
            windows.filter { $0.name == name }.map { (($0.end - $0.begin) * 1e6).rounded() / 1e6 }
        }
        #expect(lengths("idle_before") == [15])
        #expect(lengths("load_cold") == [2])
        #expect(lengths("load_warm") == [0.5])
        #expect(lengths("first_token") == [0.5])
        #expect(lengths("loaded_idle") == [15])
        #expect(lengths("unload") == [0.3])
        #expect(lengths("idle_after") == [10])
        #expect(lengths("warmup").count == 1 && lengths("sustained").count == 1)
        // 1.51 s a cycle: two whole ones lie in 3 s, the third is cut... at 3 s it is not begun.
        #expect(windows.filter { $0.name == "decode" && $0.part == .sustained }.map(\.whole) == [true, true])
        #expect(windows.first { $0.name == "first_token" }?.tokens == 128)
        #expect(windows.allSatisfy { $0.end >= $0.begin })
    }

    @Test func aGenerationThatWasCutIsNotWhole() {
        let marks = Self.generation(1, .sustained, (0, 1, 2)) + Self.generation(2, .sustained, (2, 3, 4))
        let timeline = Self.timeline(marks) {
            $0.done = [Self.done(1, 5), Self.done(2, 3, stop: "deadline")]
        }
        #expect(timeline.generations.map(\.isWhole) == [true, false])
        #expect(timeline.windows.filter { $0.name == "decode" }.map(\.whole) == [true, false])
    }

    @Test func marksOutOfOrderAreSaidAndNotUsed() {
        let marks =
            Self.generation(1, .sustained, (5, 4, 6)) + Self.generation(2, .sustained, (7, 8, 9))
            + [Self.mark(.submit, .sustained, 7.5, 2), Self.mark(.firstToken, .sustained, 3, 9)]
        let timeline = Self.timeline(marks) { $0.done = [Self.done(1, 5), Self.done(2, 5), Self.done(2, 5)] }
        #expect(timeline.generations.map(\.cycle) == [1, 2])
        #expect(timeline.generations.map(\.isWhole) == [false, true])
        #expect(
            timeline.generations[1].prefill
                == Span(begin: SyntheticRun.moment(7), end: SyntheticRun.moment(8)))
        #expect(
            timeline.problems == [
                "cycle 2: a mark came twice, the first stands", "cycle 2: counted twice, the first stands",
                "cycle 1: marks are out of order, the generation is not used",
                "cycle 9: no submit mark, the generation is not used",
            ])
    }

    @Test func faultsOfManyCyclesAreOneSentence() {
        let marks = (1...40).flatMap { Self.generation($0, .sustained, (5, 4, 6)) }
        #expect(
            Self.timeline(marks).problems == [
                "cycles 1, 2, 3, 4, 5 and 35 more: marks are out of order, the generation is not used"
            ])
    }

    @Test func countsThatCannotBeAreSetAside() {
        let marks = Self.generation(1, .sustained, (1, 2, 3)) + Self.generation(2, .sustained, (3, 4, 5))
        let timeline = Self.timeline(marks) { $0.done = [Self.done(1, .max), Self.done(2, -4)] }
        #expect(timeline.generations.allSatisfy { $0.counts == nil && !$0.isWhole })
        #expect(timeline.problems == ["cycles 1, 2: token counts that cannot be"])
    }

    @Test func stampsAreJoinedByCycleAndIndex() {
        func batch(_ cycle: Int, _ first: Int, _ start: Double, _ count: Int) -> TokensLine {
            TokensLine(
                cycle: cycle, stream: 0, first: first, start: SyntheticRun.moment(start),
                deltas: Array(repeating: 100_000_000, count: count - 1))
        }
        let marks = (1...5).flatMap {
            Self.generation($0, .sustained, (Double($0), Double($0) + 0.2, Double($0) + 0.9))
        }
        let timeline = Self.timeline(marks) {
            $0.done = (1...5).map { Self.done($0, 5) }
            $0.tokens = [
                // 1 is whole with its batches interleaved, 2 has a gap, 3 runs backwards, 4 is one token short,
                // 5 comes after its last token.
                batch(1, 0, 1.2, 2), batch(2, 0, 2.2, 2), batch(1, 2, 1.4, 3), batch(2, 3, 2.5, 2),
                batch(3, 0, 3.2, 2), batch(3, 2, 3.25, 3), batch(4, 0, 4.2, 4), batch(5, 0, 6.2, 5),
            ]
        }
        #expect(timeline.generations.map(\.stamps.count) == [5, 0, 0, 0, 0])
        #expect(
            timeline.problems == [
                "cycles 2, 3: token stamps have a gap or run backwards, they are not used",
                "cycle 4: token stamps and the worker's count differ, the stamps are not used",
                "cycle 5: token stamps lie outside the generation, they are not used",
            ])
    }

    @Test func partsWithoutAnEdge() {
        let timeline = Self.timeline([
            Self.mark(.end, .idleBefore, 1), Self.mark(.begin, .warmup, 5), Self.mark(.end, .warmup, 4),
            Self.mark(.begin, .loadedIdle, 6), Self.mark(.begin, .loadedIdle, 7),
            Self.mark(.end, .loadedIdle, 8),
            Self.mark(.begin, .sustained, 9), Self.mark(.submit, .sustained, 11, 1),
        ])
        #expect(timeline.parts.map(\.part) == [.loadedIdle, .sustained])
        #expect(timeline.parts.map(\.span.seconds) == [2, 2])
        #expect(timeline.parts.map(\.whole) == [true, false])
        #expect(timeline.problems.count == 3)
    }

    @Test func lengthsOfSpans() {
        let early = Instant(nanoseconds: 10)
        let late = Instant(nanoseconds: .max)
        #expect(Span(begin: late, end: early).seconds == 0)
        #expect(Span(begin: early, end: late).length == Nanoseconds(.max))
        #expect(
            PhaseSpans(spans: [Span(begin: early, end: late), Span(begin: early, end: late)]).seconds > 9e9)
        #expect(PhaseSpans(spans: []).seconds == 0)
        #expect(Span(begin: early, end: late).contains(Instant(nanoseconds: 10)))
        #expect(!Span(begin: early, end: late).contains(Instant(nanoseconds: 9)))
    }

    /// Two traces in one file, or lines lost and moved: no window is made of what cannot belong together.
    @Test func aPartThatComesTwiceOrInPiecesIsNotUsed() {
        let twice = [
            Self.mark(.begin, .idleBefore, 1), Self.mark(.end, .idleBefore, 2),
            Self.mark(.begin, .idleBefore, 5), Self.mark(.end, .idleBefore, 6),
            Self.mark(.begin, .loadedIdle, 7), Self.mark(.end, .loadedIdle, 8),
        ]
        let timeline = Self.timeline(twice)
        #expect(timeline.spans(of: .idleBefore) == [])
        #expect(timeline.spans(of: .loadedIdle).count == 1)
        #expect(timeline.problems.contains { $0.contains("idle_before came 2 times") })
        let moved = [
            Self.mark(.end, .idleBefore, 2), Self.mark(.begin, .idleBefore, 1), Self.mark(.end, .unload, 9),
        ]
        #expect(Self.timeline(moved).spans(of: .idleBefore) == [])
    }
}
