import Analysis
import Foundation
import TestSupport
import Testing

/// `sustain measure` on the simulated machine, whose energy is known exactly.
@Suite(.serialized, .enabled(if: Simulator.isHere, Comment(rawValue: Simulator.missing ?? "")))
struct MeasureSimulatorTests {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private func run(_ scenario: String, _ words: [String]) throws -> Program.Ended {
        try Simulator.start(scenario, [Program.path("sustain"), "measure"] + words, in: workplace).wait()
    }

    private func record(_ ended: Program.Ended) throws -> MeasureRecord {
        #expect(ended.status == 0, "\(ended.errors)")
        return try JSONDecoder().decode(MeasureRecord.self, from: ended.output)
    }

    /// Within a share of the truth, or within the figure's own bounds where the machine was too busy to read the
    /// counter at the edge in time: the bounds are wider then.
    private func agrees(_ figure: Figure, _ truth: Double, within share: Double) -> Bool {
        guard case .value(let value, .bounds(let low, let high), _) = figure else { return false }
        return abs(value - truth) <= share * truth || (low <= truth && truth <= high)
    }

    private let package = "domain package-0 85\nzone intel-rapl:0 package-0 package-0\n"

    @Test func tenSecondsAreWithinATwentiethOfAPercent() throws {
        let record = try record(try run(package, ["--json", "--idle", "1", "--", "sleep", "10"]))
        let joules = record.total.gross.joules
        #expect(agrees(joules, 85 * record.seconds, within: 0.0005), "\(joules)")
        #expect(record.seconds >= 10)
        #expect(record.total.scopes.includes == ["rapl:package-0"])
        guard case .value(_, .bounds(let low, let high), _) = joules else {
            Issue.record("no bounds")
            return
        }
        // The truth is inside bounds that are worth having.
        #expect(low <= 85 * record.seconds && 85 * record.seconds <= high)
        #expect(high - low < 0.01 * 85 * record.seconds)
    }

    /// The command itself changes the power: net is what it drew above the idle machine.
    @Test func netIsWhatTheCommandDrew() throws {
        let scenario = "domain package-0 20\nzone intel-rapl:0 package-0 package-0\n"
        let command = try workplace.program(
            "work",
            """
            #!/bin/sh
            echo 'power package-0 70' > "$SUSTAIN_SIMULATOR/control"
            sleep 3
            echo 'power package-0 20' > "$SUSTAIN_SIMULATOR/control"

            """)
        let record = try record(try run(scenario, ["--json", "--idle", "3", "--", command]))
        let net = try #require(record.total.net.joules.number, "\(record.total.net.joules)")
        // The shell's start and end, at 20 W, are in the run's seconds and not in its net energy.
        #expect(abs(net / (50 * 3) - 1) < 0.02)
        let gross = try #require(record.total.gross.joules.number)
        #expect(abs(gross - net - 20 * record.seconds) < 0.01 * gross)
        #expect(abs((record.idle.watts.number ?? 0) / 20 - 1) < 0.01)
    }

    @Test func packageAndDramAreTheTotalAndPsysStandsBeside() throws {
        let scenario = """
            domain package-0 40
            domain dram 6
            sum machine package-0 dram
            zone intel-rapl:0 psys machine
            zone intel-rapl:1 package-0 package-0
            zone intel-rapl:1:0 dram dram

            """
        let record = try record(try run(scenario, ["--json", "--idle", "0", "--", "sleep", "3"]))
        #expect(record.total.scopes.includes == ["rapl:package-0", "rapl:package-0/dram"])
        #expect(record.total.scopes.excludes.map(\.id) == ["rapl:psys"])
        #expect(agrees(record.total.gross.watts, 46, within: 0.001), "\(record.total.gross.watts)")
        let psys = try #require(record.sources.first { $0.source.id == "rapl:psys" })
        #expect(agrees(psys.watts, 46, within: 0.001), "\(psys.watts)")
    }

    /// A counter that is renewed ten times a second: one short run is refused, many are measured together.
    @Test func aShortCommandAgainstASlowCounter() throws {
        let scenario = "domain package-0 50\nzone intel-rapl:0 package-0 package-0 period=100ms\n"
        // Reads that are close enough to see the period whatever the machine is doing.
        let often = ["--json", "--idle", "0", "--interval", "20ms"]
        let once = try record(try run(scenario, often + ["--", "sleep", "0.2"]))
        let reason = try #require(once.total.gross.joules.reason)
        #expect(reason.contains("less than 20 times") && reason.contains("--repeat"), "\(reason)")
        let many = try record(
            try run(scenario, often + ["--repeat", "100", "--", "sleep", "0.2"]))
        let joules = try #require(many.total.gross.joules.number, "\(many.total.gross.joules)")
        #expect(abs(joules / (50 * many.seconds) - 1) < 0.03)
    }

    @Test func aResetLeavesNoEnergy() throws {
        let scenario = package + "at 2s reset class/powercap/intel-rapl:0/energy_uj 1000\n"
        let record = try record(try run(scenario, ["--json", "--idle", "0", "--", "sleep", "4"]))
        #expect(
            record.total.gross.joules.reason?.contains("void: reset") == true, "\(record.total.gross.joules)")
        #expect(record.sources.first?.source.resets == 1)
        #expect(record.sources.first?.source.voidIntervals.count == 1)
    }

    @Test func withoutPermissionItSaysSo() throws {
        let scenario = package + "fault class/powercap/*/energy_uj eacces\n"
        let ended = try run(scenario, ["--json", "--", "true"])
        let record = try record(ended)
        #expect(record.total.gross.joules.reason == "no energy source: rapl:package-0: no permission")
        #expect(record.sources.first?.source.status == .noPermission)
        #expect(record.sources.first?.source.remedy != nil)
    }
}
