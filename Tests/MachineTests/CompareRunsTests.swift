import Analysis
import Foundation
import TestSupport
import Testing

/// Whole runs in turns on a machine whose energy and temperature are known.
@Suite(.enabled(if: Simulator.isHere, Comment(rawValue: Simulator.missing ?? "")))
struct CompareRunsTests {
    /// Prefills of 0.05 s and decodes of 0.1 s; the machine is warm while it works, and cools when the model is gone.
    private func script(_ prefill: Double, _ decode: Double) -> String {
        let zone = "class/thermal/thermal_zone0/temp"
        return #"""
            {"load": {"cold_ns": 1000000, "warm_ns": 1000000},
             "prefill": {"ns": 50000000}, "decode": {"ns": 10000000},
             "phases": {"idle": "power p 20", "load": "power p 40", "loaded": "power p 20", "gap": "power p 20",
                        "prefill": "power p \#(prefill); set \#(zone) 70000",
                        "decode": "power p \#(decode)", "unload": "power p 20; set \#(zone) 41000"},
             "phase_append": true}
            """#
    }

    @Test func energyOfWholeRunsIsToldApartAndTheMachineCools() throws {
        let place = try Workplace()
        let engines = try [script(140, 90), script(154, 99)].enumerated().flatMap { index, script in
            let path = try place.file("engine-\(index).json", script)
            return ["--exec", "\(Program.path("scripted-engine")) \(path)"]
        }
        let machine = """
            domain p 20
            zone intel-rapl:0 package-0 p
            text class/thermal/thermal_zone0/type x86_pkg_temp
            text class/thermal/thermal_zone0/temp 40000

            """
        let shell = #"SUSTAIN_PHASE_FILE=$SUSTAIN_SIMULATOR/control exec "$@""#
        let command =
            ["compare", "--sustained", "--seconds", "4", "-r", "2"] + engines
            + ["--idle", "1", "-p", "8", "-n", "11", "--no-parity", "--cool-down", "1", "--json"]
        let log = place.url.appending(path: "truth.log").path
        let ended = try Simulator.start(
            machine, ["sh", "-c", shell, "sh", Program.path("sustain")] + command, log: log, in: place
        ).wait()
        #expect(ended.status == 0, "\(ended.errors)")
        let document = try JSONDecoder().decode(SessionDocument.self, from: ended.output)
        let runs = try #require(document.runs)
        #expect(runs.map(\.cooling) == [.first, .reached, .reached, .reached], "\(document.warnings)")
        #expect(runs.map { $0.startedAt["thermal:x86_pkg_temp-0"] } == [40, 41, 41, 41])
        let found = try #require(document.comparisons.first)
        let energy = try #require(
            found.effects["cycle.gross.joules_per_token"]?.value,
            "\(String(describing: found.effects["cycle.gross.joules_per_token"]))")
        // 5.0 J of phases that take 10 % more, but for what lies between them.
        #expect(abs((energy.ratio.number ?? 0) - 1.1) < 0.03, "\(energy)")
        #expect(document.total.includes == ["rapl:package-0"] && document.residency.mode == "whole runs")
    }
}
