import Analysis
import TestSupport
import Testing

/// Counters that wrap, reset, stall or fail, through the whole way from the file to the record (CASES C1 to C5,
/// C11, C13).
@Suite(.enabled(if: Simulator.isHere, Comment(rawValue: Simulator.missing ?? "")))
struct CounterCaseTests {
    private let package = "rapl:package-0"

    private func machine(_ counter: String = "", _ more: String = "") -> String {
        """
        domain p 85
        zone intel-rapl:0 package-0 p \(counter)
        \(more)
        """
    }

    /// C1: the counter wraps in the middle of the run.
    @Test func aWrapCountsOnceAndCostsNothing() throws {
        let result = try SimulatedRun().result(on: machine("start=261888328850"))
        #expect(try result.source(package).wraps == 1)
        let error = try result.error(result.record.metrics.decode.gross.joules, of: ["p"])
        #expect(abs(try #require(error)) < tolerance)
    }

    /// C2: two packages and two drams with ranges of their own, of which one dram wraps.
    @Test func eachCounterWrapsAtItsOwnRange() throws {
        let result = try SimulatedRun().result(
            on: """
                domain p0 85
                domain p1 70
                domain d0 6
                domain d1 9
                zone intel-rapl:0 package-0 p0
                zone intel-rapl:0:0 dram d0 range=65712999613 start=65694999613
                zone intel-rapl:1 package-1 p1
                zone intel-rapl:1:0 dram d1 range=262143328850
                """)
        #expect(result.record.sources.filter { $0.wraps > 0 }.map(\.id) == ["rapl:package-0/dram"])
        let error = try result.error(
            result.record.metrics.decode.gross.joules, of: ["p0", "p1", "d0", "d1"])
        #expect(abs(try #require(error)) < tolerance)
    }

    /// C3: a value that falls, and no range to tell a wrap by.
    @Test func withoutARangeAFallIsVoid() throws {
        let result = try SimulatedRun().result(
            on: machine(
                "start=261888328850", "fault class/powercap/intel-rapl:0/max_energy_range_uj missing"))
        let source = try result.source(package)
        #expect(source.wraps == 0)
        #expect(source.voidIntervals.count == 1)
        #expect(result.record.metrics.cycle.gross.joules.reason != nil)
    }

    /// C4: a gap in which the counter may have gone round more than once.
    @Test func aGapThatCouldHideASecondWrapIsVoid() throws {
        let result = try SimulatedRun().result(
            on: machine("range=300000000", "at 2.5 fault class/powercap/intel-rapl:0/energy_uj eio for=1.4"))
        let source = try result.source(package)
        #expect(
            source.voidIntervals.contains { $0.end - $0.begin > 1.3 && $0.reason.contains("hide a wrap") })
        #expect(result.record.metrics.cycle.gross.joules.reason != nil)
    }

    /// C5: the driver is loaded anew.
    @Test func aResetVoidsItsIntervalAndCountingGoesOn() throws {
        let result = try SimulatedRun().result(
            on: machine("start=5000000000", "at 2.5 reset class/powercap/intel-rapl:0/energy_uj"))
        let source = try result.source(package)
        #expect(source.resets == 1)
        #expect(source.voidIntervals.count == 1)
        #expect(result.record.metrics.cycle.gross.joules.reason != nil)
        // Windows that the reset does not touch keep their energy.
        let idle = try #require(result.record.metrics.idle.gross.watts.number)
        #expect(abs(idle / 85 - 1) < 0.01)
    }

    /// C11: read ten times as often as it moves.
    @Test func aSlowCounterIsNotTakenForZeroWatts() throws {
        var run = try SimulatedRun(#"{"prefill": {"ns": 1000000000}, "decode": {"ns": 250000000}}"#)
        run.run.arguments = ["--seconds", "8", "--idle", "1", "-p", "8", "-n", "13", "--warmup", "0"]
        let result = try run.result(on: machine("period=100ms"), ["--interval", "10ms"])
        let period = try #require(try result.source(package).updatePeriodSeconds.number)
        #expect(abs(period - 0.1) < 0.02)
        let error = try result.error(result.record.metrics.decode.gross.joules, of: ["p"])
        #expect(abs(try #require(error)) < 2 * tolerance)
    }

    /// C13: two seconds of EIO in the middle, while the counter counts on.
    @Test func anErrorThatPassesIsAGapAndNotAnEnd() throws {
        var run = try SimulatedRun()
        run.run.arguments = ["--seconds", "6", "--idle", "0.5", "-p", "8", "-n", "11", "--warmup", "0"]
        let result = try run.result(
            on: machine("", "at 3 fault class/powercap/intel-rapl:0/energy_uj eio for=2"))
        let source = try result.source(package)
        #expect(source.status == .ok)
        #expect(source.voidIntervals.isEmpty)
        // The sum over all cycles spans the gap, of which the counter knows the energy.
        let cycle = result.record.metrics.cycle
        let error = try result.error(cycle.gross.joules, of: ["p"], in: "cycle")
        #expect(abs(try #require(error, "\(cycle.gross.joules)")) < tolerance)
    }
}
