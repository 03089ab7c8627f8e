import Analysis
import Glibc
import Testing
import WorkerProtocol

@testable import Engines

/// What users of other tools saw engines do: each end is told apart, and no process stays.
@Suite struct ProcessFaultTests {
    /// A fault at a point, everything else as short as can be.
    private static func script(_ fault: String) -> String {
        #"{"load": {"cold_ns": 0}, "prefill": {"ns": 0}, "decode": {"ns": 0}, "unload_ns": 0, "faults": ["#
            + fault + "]}"
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let kind: String
        let exit: WorkerExit.Kind
        let status: Int32?
        let signal: Int32?
        let causeHolds: String
        var testDescription: String { kind }
    }

    static let deaths = [
        Case(
            kind: #""crash""#, exit: .signal, status: nil, signal: SIGSEGV,
            causeHolds: "SIGSEGV (segmentation fault)"),
        Case(kind: #""abort""#, exit: .signal, status: nil, signal: SIGABRT, causeHolds: "SIGABRT (aborted)"),
        Case(
            kind: #""exit", "status": 3"#, exit: .exitStatus, status: 3, signal: nil,
            causeHolds: "exit status 3"),
        Case(
            kind: #""exit", "status": 0"#, exit: .inOrder, status: 0, signal: nil, causeHolds: "exit status 0"
        ),
        Case(kind: #""oom""#, exit: .killed, status: nil, signal: SIGKILL, causeHolds: "SIGKILL: "),
        Case(
            kind: #""bad_alloc""#, exit: .badAllocation, status: nil, signal: SIGABRT,
            causeHolds: "its log says \"terminate called after throwing an instance of 'std::bad_alloc'\""),
        Case(
            kind: #""error", "code": "out_of_memory", "fatal": true"#, exit: .exitStatus, status: 1,
            signal: nil,
            causeHolds: "exit status 1"),
    ]

    /// In the middle of a generation, when there is most to lose.
    @Test(arguments: deaths)
    func aDeathDuringDecodeIsExplained(_ death: Case) throws {
        let worker = try ScriptedWorker(
            Self.script(#"{"at": "decode", "cycle": 2, "step": 5, "kind": "# + death.kind + "}"))
        try worker.load()
        _ = try worker.ask(ScriptedWorker.request(cycle: 1, generated: 10), until: "done")
        try worker.process.send(ScriptedWorker.request(cycle: 2, generated: 10))
        let received = try worker.receiveUntilClosed()
        #expect(received.last == .closed(torn: false))
        #expect(received.compactMap(\.event?.markName) == [.submit, .firstToken])

        let exit = worker.process.finish()
        #expect(exit.kind == death.exit)
        #expect(exit.exitStatus == death.status)
        #expect(exit.signal == death.signal)
        #expect(exit.step == .none)
        #expect(exit.cause.contains(death.causeHolds), "\(exit.cause)")
        #expect(!ProcessTable.isRunning(worker.process.pid))
    }

    @Test(arguments: ["hello", "load", "prefill", "unload"])
    func aCrashIsSeenAtEveryPoint(_ point: String) throws {
        let worker = try ScriptedWorker(Self.script(#"{"at": "\#(point)", "kind": "crash"}"#))
        // The worker may be gone before all of them are written; which one fails first does not matter.
        for command in [.go, .load(LoadRequest(model: "m")), ScriptedWorker.request(), .unload] {
            try? worker.process.send(command)
        }
        let received = try worker.receiveUntilClosed()
        #expect(received.isEmpty == false)
        #expect(received.contains { $0.event?.name == "hello" } == (point != "hello"))
        #expect(worker.process.finish().signal == SIGSEGV)
    }

    @Test func anErrorOfTheProtocolLeavesTheWorkerUsable() throws {
        let worker = try ScriptedWorker(
            Self.script(
                #"{"at": "load", "cycle": 0, "kind": "error", "cause": "no room", "code": "out_of_memory"}"#))
        _ = try worker.events(until: "hello")
        try worker.process.send(.go)
        let refused = try worker.ask(.load(LoadRequest(model: "m")), until: "error")
        #expect(
            refused.last
                == .error(WorkerError(thing: "scripted engine", cause: "no room", code: "out_of_memory")))
        #expect(worker.process.finish().isInOrder)
    }

    @Test func garbageIsReportedAndTheRestStillRead() throws {
        let worker = try ScriptedWorker(Self.script(#"{"at": "prefill", "kind": "garbage"}"#))
        try worker.load()
        try worker.process.send(ScriptedWorker.request())
        let received = try worker.receive { $0.event?.name == "done" }
        #expect(
            received.compactMap(\.garbage) == [
                LineCodec.Garbage(
                    cause: "not a message of the worker protocol",
                    excerpt: "llama_print_timings: load time = 12 ms")
            ])
        #expect(received.last?.event?.done?.generatedTokens == 4)
    }

    @Test func halfALineIsTorn() throws {
        let worker = try ScriptedWorker(Self.script(#"{"at": "decode", "kind": "half_line"}"#))
        try worker.load()
        try worker.process.send(ScriptedWorker.request())
        let received = try worker.receiveUntilClosed()
        #expect(received.last == .closed(torn: true))
        #expect(received.compactMap(\.garbage).isEmpty)
        #expect(worker.process.finish().exitStatus == 1)
        #expect(worker.process.receive().isEmpty)
    }

    @Test func aLineWithoutEndIsGarbageOnce() throws {
        let worker = try ScriptedWorker(Self.script(#"{"at": "prefill", "kind": "long_line"}"#))
        try worker.load()
        try worker.process.send(ScriptedWorker.request())
        let received = try worker.receive { $0.garbage != nil }
        #expect(received.compactMap(\.garbage).map(\.cause) == ["a line of more than 1048576 bytes"])
        // What follows is read and dropped: the worker is never blocked, and ends in order.
        #expect(worker.process.finish().isInOrder)
    }

    @Test func aFloodOfEventsHoldsNobodyUp() throws {
        let worker = try ScriptedWorker(Self.script(#"{"at": "prefill", "kind": "flood_events", "mb": 64}"#))
        try worker.load()
        try worker.process.send(ScriptedWorker.request())
        _ = try worker.receive { $0.garbage != nil }
        // The worker is in the middle of its flood, blocked whenever nobody reads.
        let exit = worker.process.finish()
        #expect(exit.isInOrder)
        #expect(worker.process.receive().count <= 4097)
    }

    @Test func aFloodedLogIsShortenedToItsEnd() throws {
        let worker = try ScriptedWorker(
            Self.script(
                #"{"at": "prefill", "kind": "flood_stdout", "mb": 100}, "#
                    + #"{"at": "unload", "kind": "leave_child"}"#
            ))
        try worker.load()
        _ = try worker.ask(ScriptedWorker.request(), until: "done")
        #expect(worker.process.limitLog(to: 4 << 20))
        _ = try worker.ask(.unload, until: "done")
        #expect(worker.process.finish().isInOrder)

        let path = worker.directory.path + "/worker.log"
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_size > 100 << 20)
        #expect(Int(status.st_blocks) * 512 < 64 << 20)
        try worker.process.trimLog()
        #expect(stat(path, &status) == 0 && status.st_size <= 1 << 20 + 100)
        let text = worker.process.logTail(bytes: 2 << 20)
        #expect(text.hasPrefix("[sustain: 10"))
        #expect(ProcessTable.child(in: text) != nil)
        #expect(text.split(separator: "\n")[1].hasPrefix("flood "))
    }

    @Test func aShortLogStaysAsItIs() throws {
        let worker = try ScriptedWorker(Self.script(#"{"kind": "bad_alloc"}"#))
        _ = try worker.receiveUntilClosed()
        _ = worker.process.finish()
        try worker.process.trimLog()
        #expect(
            worker.process.logTail(bytes: 1000)
                == "terminate called after throwing an instance of 'std::bad_alloc'\n")
        #expect(worker.process.logTail(bytes: 11) == "bad_alloc'\n")
    }

    @Test func aHelloOfAnotherVersionArrivesAsItIs() throws {
        let worker = try ScriptedWorker(
            #"{"hello": {"protocol": "sustain.worker/2", "clock": "CLOCK_REALTIME"}}"#)
        guard case .hello(let hello)? = try worker.events(until: "hello").last else {
            throw SetUpError("no hello")
        }
        #expect(hello.protocol == "sustain.worker/2")
        #expect(hello.clock == "CLOCK_REALTIME")
    }

    @Test func aScriptWithAMisspeltKeyIsRefused() throws {
        let worker = try ScriptedWorker(#"{"prefil": {"ns": 1}}"#)
        #expect(try worker.receiveUntilClosed() == [.closed(torn: false)])
        #expect(worker.process.finish().exitStatus == 2)
        #expect(worker.process.logTail(bytes: 1000).contains(#"unknown key "prefil""#))
    }
}
