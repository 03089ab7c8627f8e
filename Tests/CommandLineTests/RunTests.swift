import Analysis
import Foundation
import TestSupport
import Testing

@Suite struct RunTests {
    @Test func aRunLeavesACompleteRecord() throws {
        let run = try ScriptedRun()
        let ended = try run.run(["--label", "first"])
        #expect(ended.status == 0, "\(ended.errors)")
        let record = try run.record()
        #expect(record.outcome.status == .completed)
        #expect(record.label == "first")
        #expect(record.engine.value?.kind == "exec:scripted")
        #expect(record.protocol.name == "custom-p8-n12")
        for name in [
            "idle_before", "load_cold", "load_warm", "loaded_idle", "prefill", "decode", "cycle", "unload",
            "idle_after",
        ] {
            #expect(record.windows.contains { $0.name == name }, "no window \(name)")
        }
        #expect(record.metrics.wholeCycles >= 1)
        // How long the sleeps of the scripted engine really took depends on the machine; the ratio does not.
        let rate = try #require(record.metrics.decode.tokensPerSecond.number)
        let seconds = try #require(record.metrics.decode.seconds.value)
        #expect(abs(rate * seconds - Double(record.metrics.wholeCycles * 11)) < 1e-6)
        #expect(record.metrics.decode.tokens == .known(record.metrics.wholeCycles * 11))
        #expect(record.metrics.prefill.tokens == .known(record.metrics.wholeCycles * 8))
        #expect(record.memory.peakRSSBytes.number ?? 0 > 1_000_000)
        #expect(record.metrics.idle.seconds.value ?? 0 >= 0.4)
    }

    @Test func runAndAnalyzeGiveTheSameBytes() throws {
        let run = try ScriptedRun()
        let ended = try run.run(["--json"])
        #expect(ended.status == 0, "\(ended.errors)")
        let directory = try run.workplace.runDirectory()
        let analyzed = try Program.run(["analyze", directory.path, "--json"], in: run.workplace)
        #expect(analyzed.status == 0)
        #expect(analyzed.output == ended.output)
        #expect(try Data(contentsOf: directory.appending(path: "run.json")) == ended.output)
        let fromTrace = try Program.run(
            ["analyze", directory.appending(path: "trace.jsonl").path, "--json"], in: run.workplace)
        #expect(fromTrace.output == ended.output)
    }

    @Test func standardOutputIsOnlyTheResult() throws {
        let run = try ScriptedRun()
        let ended = try run.run(["--json"])
        #expect(throws: Never.self) { try JSONDecoder().decode(Record.self, from: ended.output) }
        #expect(ended.errors.contains("trace: reports/"))
        let quiet = try ScriptedRun()
        #expect(try quiet.run(["--quiet"]).errors == "")
    }

    @Test func repetitionsEndARunEarly() throws {
        let run = try ScriptedRun(#"{"prefill": {"ns": 2000000}, "decode": {"ns": 1000000}}"#)
        let ended = try run.run(["-r", "3", "--seconds", "600"])
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(try run.record().metrics.wholeCycles == 3)
    }

    @Test func theDeadlineCutsAGenerationAtAToken() throws {
        var run = try ScriptedRun()
        run.arguments = [
            "--seconds", "0.5", "--idle", "0", "-p", "8", "-n", "1000", "--warmup", "0", "--power", "none",
        ]
        #expect(try run.run().status == 0)
        let cut = try run.record().windows.filter { $0.part == .sustained && !$0.whole }
        #expect(!cut.isEmpty)
        #expect(try run.record().metrics.wholeCycles == 0)
    }

    @Test func seedsAndStopReasonsAreInTheTrace() throws {
        let run = try ScriptedRun(#"{"prefill": {"ns": 2000000}, "decode": {"ns": 1000000}}"#)
        _ = try run.run(["-r", "2", "--seed", "7"])
        let trace = try String(
            contentsOf: try run.workplace.runDirectory().appending(path: "trace.jsonl"), encoding: .utf8)
        let done = trace.split(separator: "\n").filter { $0.contains(#""type":"done""#) }
        #expect(done.count == 5)
        #expect(done.allSatisfy { $0.contains(#""stop":"length""#) && $0.contains(#""token_hash":""#) })
        #expect(trace.contains(#""seed":7"#))
    }

    @Test func aFullReportComesOfIt() throws {
        let run = try ScriptedRun()
        _ = try run.run()
        let report = try Program.run(["report"], in: run.workplace)
        #expect(report.status == 0)
        #expect(report.text.contains("J/tok gross"))
        let pareto = try Program.run(["report", "--pareto"], in: run.workplace)
        #expect(pareto.status == 0)
        for format in ["md", "csv", "json", "jsonl", "text"] {
            #expect(try Program.run(["report", "-o", format], in: run.workplace).status == 0)
        }
    }
}
