import Testing

@testable import Analysis

/// The begin and end marks of the parts in which the engine generates: traces of before they were written, and
/// what they may change.
@Suite struct PartMarkTests {
    private static let generating: Set<Part> = [.fromIdle, .warmup, .sustained]

    private func run() -> SyntheticRun {
        var run = SyntheticRun()
        run.seconds = 100
        run.watts = 30
        return run
    }

    /// Without them the figures are what they are with them.
    @Test func figuresNeedNoMarksOfParts() throws {
        let lines = run().lines
        let bare = lines.filter { line in
            guard case .mark(let mark) = line, Self.generating.contains(mark.part) else { return true }
            return mark.name != .begin && mark.name != .end
        }
        #expect(lines.count - bare.count == 6)
        func record(_ lines: [TraceLine]) throws -> Record {
            Analyze.record(from: try Trace.parse(try lines.flatMap { try $0.encodedLine() }, name: "t"))
        }
        let (with, without) = (try record(lines), try record(bare))
        for phase in [\Metrics.prefill, \.decode, \.cycle, \.fromIdle.prefill, \.fromIdle.decode] {
            let (one, other) = (with.metrics[keyPath: phase], without.metrics[keyPath: phase])
            #expect(one.seconds == other.seconds && one.tokens == other.tokens)
            #expect(one.tokensPerSecond == other.tokensPerSecond)
            // A read that a part's edge cuts is divided at it: a matter of the last digits at one power.
            expect(one.gross.joules, near: try #require(other.gross.joules.number), within: 1e-4)
        }
        for figure in [\Metrics.burst, \.sustained, \.retained, \.droopOnsetSeconds] {
            #expect(with.metrics[keyPath: figure] == without.metrics[keyPath: figure])
        }
        let parts = Self.generating.map(\.rawValue)
        #expect(with.windows.count { parts.contains($0.name) } == 3)
        #expect(with.windows.filter { !parts.contains($0.name) } == without.windows)
    }

    /// The first prompt comes a moment after the part's begin: that moment is no cycle.
    @Test func theTimeBeforeTheFirstPromptIsNoCycle() throws {
        func moment(_ milliseconds: Int) -> Instant {
            Instant(nanoseconds: UInt64(milliseconds) * 1_000_000)
        }
        var marks: [MarkLine] = []
        for cycle in 0..<5 {
            let begin = 1_000 + cycle * 100
            for (name, offset) in [(MarkLine.Name.submit, 0), (.firstToken, 20), (.lastToken, 98)] {
                marks.append(MarkLine(name, part: .sustained, time: moment(begin + offset), cycle: cycle))
            }
        }
        let bare = try #require(CycleTimeline(PhaseTimeline(marks: marks)))
        let edges = [
            MarkLine(.begin, part: .sustained, time: moment(997)),
            MarkLine(.end, part: .sustained, time: moment(1_502)),
        ]
        let marked = try #require(CycleTimeline(PhaseTimeline(marks: [edges[0]] + marks + [edges[1]])))
        #expect(bare.cycles == 5 && marked.cycles == 5)
        #expect(marked.cycleBegins.map { ($0 * 1000).rounded() } == [103, 203, 303, 403])
        #expect(abs(marked.end - 0.505) < 1e-9)
        #expect(abs(bare.shortestPhase - marked.shortestPhase) < 1e-9)
    }
}
