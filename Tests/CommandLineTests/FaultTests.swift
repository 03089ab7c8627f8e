import Analysis
import Foundation
import TestSupport
import Testing

/// Workers that go wrong (CASES C25): the outcome names what happened, the trace stays, exit 5, nothing
/// stays behind.
@Suite struct FaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let fault: String
        let cause: String
        var signal: Int32?
        var testDescription: String { name }
    }

    static let faults = [
        Fault(
            name: "crash", fault: #"{"at": "decode", "step": 3, "kind": "crash"}"#, cause: "SIGSEGV",
            signal: SIGSEGV),
        Fault(name: "abort", fault: #"{"at": "load", "kind": "abort"}"#, cause: "SIGABRT", signal: SIGABRT),
        Fault(
            name: "bad_alloc", fault: #"{"at": "load", "kind": "bad_alloc"}"#, cause: "bad_alloc",
            signal: SIGABRT),
        Fault(name: "killed", fault: #"{"at": "prefill", "kind": "oom"}"#, cause: "SIGKILL", signal: SIGKILL),
        Fault(
            name: "exit", fault: #"{"at": "prefill", "kind": "exit", "status": 3}"#, cause: "exit status 3"),
        Fault(name: "garbage", fault: #"{"at": "decode", "step": 2, "kind": "garbage"}"#, cause: "garbage"),
        Fault(name: "half line", fault: #"{"at": "decode", "step": 2, "kind": "half_line"}"#, cause: "torn"),
        Fault(
            name: "long line", fault: #"{"at": "decode", "step": 2, "kind": "long_line"}"#, cause: "garbage"),
        Fault(
            name: "flood of events", fault: #"{"at": "decode", "step": 2, "kind": "flood_events", "mb": 20}"#,
            cause: "garbage"),
        Fault(name: "hang", fault: #"{"at": "decode", "step": 2, "kind": "hang"}"#, cause: "said nothing"),
        Fault(
            name: "error",
            fault: #"{"at": "load", "kind": "error", "thing": "q4.gguf", "cause": "bad magic"}"#,
            cause: "q4.gguf: bad magic"),
        Fault(
            name: "closes its events", fault: #"{"at": "prefill", "kind": "close_events"}"#,
            cause: "exit status 3"),
        Fault(
            name: "ends before hello", fault: #"{"at": "hello", "kind": "exit", "status": 4}"#,
            cause: "exit status 4"),
    ]

    @Test(arguments: faults) func aFaultIsARecordedOutcome(_ fault: Fault) throws {
        var run = try ScriptedRun(#"{"faults": [\#(fault.fault)]}"#)
        run.arguments += ["--engine-timeout", "2"]
        let ended = try run.run()
        #expect(ended.status == 5, "\(ended.errors)")
        let record = try run.record()
        #expect(record.outcome.status == .engineFailed)
        #expect(record.outcome.cause?.contains(fault.cause) == true, "\(record.outcome.cause ?? "no cause")")
        #expect(record.outcome.signal == fault.signal)
        #expect(record.outcome.part != nil)
        #expect(try run.strayProcesses() == [])
    }

    @Test(arguments: [
        (#"{"hello": {"protocol": "sustain.worker/9"}}"#, "sustain.worker/9"),
        (#"{"hello": {"clock": "CLOCK_REALTIME"}}"#, "CLOCK_REALTIME"),
    ])
    func aWorkerOfAnotherProtocolIsRefused(script: String, cause: String) throws {
        let run = try ScriptedRun(script)
        #expect(try run.run().status == 5)
        #expect(try run.record().outcome.cause?.contains(cause) == true)
    }

    @Test func aFloodOnStandardOutputIsKeptShort() throws {
        let run = try ScriptedRun(#"{"faults": [{"at": "load", "kind": "flood_stdout", "mb": 100}]}"#)
        #expect(try run.run().status == 0)
        let log = try run.workplace.runDirectory().appending(path: "worker.log")
        let size = try FileManager.default.attributesOfItem(atPath: log.path)[.size] as? Int
        // A line that says what was cut stands before the last MiB.
        #expect(size ?? .max <= (1 << 20) + 1024)
    }

    @Test func anEngineThatIgnoresQuitIsEndedAllTheSame() throws {
        let run = try ScriptedRun(#"{"faults": [{"at": "hello", "kind": "ignore_quit"}]}"#)
        let ended = try run.run()
        #expect(ended.status == 0)
        #expect(try run.record().warnings.contains { $0.contains("did not") })
        #expect(try run.strayProcesses() == [])
    }

    @Test func aMissingProgramIsNamed() throws {
        let workplace = try Workplace()
        let ended = try Program.run(["run", "--exec", "/nowhere/worker"], in: workplace)
        #expect(ended.status == 5)
        #expect(ended.errors.contains("/nowhere/worker"))
        #expect(!FileManager.default.fileExists(atPath: workplace.url.appending(path: "reports").path))
    }
}
