import Analysis
import Foundation
import TestSupport
import Testing

/// Engines that say what cannot be: nothing of it becomes a figure, and the record says why.
@Suite struct LyingEngineTests {
    private func run(_ fault: String) throws -> (Record, ScriptedRun) {
        let run = try ScriptedRun(#"{"faults": [\#(fault)]}"#)
        let ended = try run.run(["-r", "3", "--warmup", "0"])
        #expect(ended.status == 0, "\(ended.errors)")
        return (try run.record(), run)
    }

    /// Cycle 2 is the first of three: before it came the first token and the generation from idle.
    private static let cycle = 2

    @Test(arguments: [
        (5_000_000_000, "was stamped later than it came"),
        (-5_000_000_000, "was stamped before its command was sent"),
    ])
    func stampsThatCannotBe(shift: Int, reason: String) throws {
        let (record, _) = try run(
            #"{"at": "decode", "cycle": \#(Self.cycle), "kind": "shift_stamps", "ns": \#(shift)}"#)
        #expect(record.metrics.wholeCycles == 2)
        #expect(
            record.warnings.contains { $0.hasPrefix("cycle \(Self.cycle): a mark \(reason): not used") },
            "\(record.warnings)")
        // Ten-millisecond steps, whatever was claimed of one cycle.
        let rate = try #require(record.metrics.decode.tokensPerSecond.number)
        #expect(rate < 1000)
        #expect(record.windows.allSatisfy { $0.cycle != Self.cycle && $0.end < 60 })
    }

    @Test func stampsOfALoadThatCannotBe() throws {
        let (record, _) = try run(#"{"at": "load", "kind": "shift_stamps", "ns": -5000000000}"#)
        for load in [record.metrics.loadCold, record.metrics.loadWarm] {
            #expect(load.seconds.value == nil)
        }
        #expect(record.warnings.contains { $0.contains("load_cold: a mark was stamped before its command") })
        #expect(record.metrics.wholeCycles == 3)
    }

    @Test func moreTokensThanWereAskedFor() throws {
        let (record, _) = try run(
            #"{"at": "decode", "cycle": \#(Self.cycle), "kind": "more_tokens", "tokens": 1000}"#)
        #expect(record.metrics.wholeCycles == 2)
        #expect(
            record.warnings.contains {
                $0.contains("it says 1012 generated tokens where 12 were asked for: not used")
            }, "\(record.warnings)")
        #expect(record.metrics.decode.tokensPerSecond.number.map { $0 < 1000 } == true)
    }

    /// 20 MiB of marks, of which the trace keeps no more than a command can have.
    @Test func aFloodOfMarks() throws {
        let run = try ScriptedRun(
            #"{"faults": [{"at": "decode", "cycle": 2, "step": 2, "kind": "flood_marks", "mb": 20}]}"#)
        let ended = try run.run(["--engine-timeout", "60"])
        #expect(ended.status == 5, "\(ended.errors)")
        let outcome = try run.record().outcome
        #expect(outcome.cause == "sent more than 1012 events after one command", "\(outcome.cause ?? "")")
        #expect(outcome.kind == .protocolBroken)
        let trace = try run.workplace.runDirectory().appending(path: "trace.jsonl")
        let size = try FileManager.default.attributesOfItem(atPath: trace.path)[.size] as? Int
        #expect(size ?? .max < 1 << 20)
        #expect(try run.strayProcesses() == [])
    }

    /// The file has what was said and the objection; what is read of it has neither mark nor count of that cycle.
    @Test func theTraceKeepsWhatNoFigureUses() throws {
        let (_, run) = try run(
            #"{"at": "decode", "cycle": \#(Self.cycle), "kind": "shift_stamps", "ns": 5000000000}"#)
        let path = try run.workplace.runDirectory().appending(path: "trace.jsonl")
        let text = try String(contentsOf: path, encoding: .utf8)
        #expect(text.contains(#""type":"objection""#))
        #expect(text.split(separator: "\n").contains { $0.hasPrefix(#"{"cycle":2,"mark":"submit""#) })
        let trace = try Trace.parse(Array(text.utf8), name: "trace")
        #expect(!trace.marks.contains { $0.cycle == Self.cycle })
        #expect(!trace.done.contains { $0.cycle == Self.cycle })
    }
}
