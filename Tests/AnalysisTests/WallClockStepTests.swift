import Testing

@testable import Analysis

/// CASES C19, on traces of a known truth: a clock that is set is no clock that stood still, and no figure moves.
@Suite struct WallClockStepTests {
    private static let wallAtStart: Int64 = 1_796_000_000_000_000_000

    /// - Parameters:
    ///   - set: nanoseconds by which the clock is set at 20 s.
    ///   - slept: nanoseconds that the machine sleeps at 30 s.
    private func trace(set: Int64 = 0, slept: Int64 = 0) throws -> Trace {
        var run = SyntheticRun()
        run.seconds = 40
        run.watts = 50
        var trace = try Trace.parse(try run.bytes, name: "t")
        func clock(_ index: Int, _ id: String) -> SourceLine {
            SourceLine(
                index: index, id: id, kind: .gauge, quantity: .time, scale: 1e-9,
                scope: .init(domain: "system", device: "system"), interface: "clock_gettime",
                intervalNanoseconds: 1_000_000_000)
        }
        trace.sources += [clock(7, Suspends.sourceID), clock(8, WallClockSteps.sourceID)]
        for second in 0..<80 {
            // What two reads one after the other differ by.
            let jitter = Int64(second % 3) * 40_000
            let asleep = second >= 30 ? slept : 0
            trace.samples.append(
                SampleLine(
                    time: SyntheticRun.moment(Double(second)), sources: [7, 8], deltas: [1, 1],
                    values: [asleep, Self.wallAtStart + asleep + (second >= 20 ? set : 0) + jitter]))
        }
        trace.samples.sort { $0.time < $1.time }
        trace.end?.sleptNanoseconds = slept
        return trace
    }

    private func warnings(_ trace: Trace) -> [String] {
        Analyze.record(from: trace).warnings.filter { $0.contains("wall clock") }
    }

    @Test(
        arguments: [
            (3_600_000_000_000, "forward by 3600.0 s"), (-3_600_000_000_000, "back by 3600.0 s"),
            (60_000_000, "forward by 0.1 s"),
        ] as [(Int64, String)])
    func aStepIsSaidAndChangesNoFigure(set: Int64, words: String) throws {
        let trace = try trace(set: set)
        #expect(
            warnings(trace) == [
                "the wall clock was set \(words) 20.0 s after the start: no figure uses it, but a log that is imported "
                    + "by its times does"
            ])
        var set = Analyze.record(from: trace)
        var left = Analyze.record(from: try self.trace())
        (set.warnings, left.warnings) = ([], [])
        // The clock's own row tells that it moved.
        (set.sources, left.sources) = ([], [])
        #expect(try CanonicalJSON.document(set) == CanonicalJSON.document(left))
    }

    @Test func aSleepIsNoStep() throws {
        let trace = try trace(slept: 60_000_000_000)
        #expect(warnings(trace) == [])
        #expect(Analyze.record(from: trace).warnings.contains { $0.contains("slept for 60.0 s") })
    }

    @Test func aStepAndASleep() throws {
        let trace = try trace(set: 5_000_000_000, slept: 60_000_000_000)
        #expect(WallClockSteps.steps(in: trace).map(\.nanoseconds).map { $0 / 1_000_000 } == [5000])
    }

    @Test func jitterAndSlewingAreNoStep() throws {
        #expect(try warnings(trace(set: 49_000_000)) == [])
    }

    @Test func anyNumberFromOutside() throws {
        var trace = try trace()
        for (place, value) in [Int64.min, .max, 0, -1].enumerated() {
            let index = trace.samples.indices.filter { trace.samples[$0].sources == [7, 8] }[place * 9 + 3]
            trace.samples[index].values = [value, .min]
        }
        #expect(warnings(trace).count == 1)
    }
}
