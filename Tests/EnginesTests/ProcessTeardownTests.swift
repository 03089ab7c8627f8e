import Analysis
import CHost
import Glibc
import Testing
import WorkerProtocol

@testable import Engines

/// The ladder: each rung is needed by some worker, and nothing is left when it is over.
@Suite struct ProcessTeardownTests {
    /// Rungs short enough for a test; the last one is as long as it has to be.
    private static let short = TeardownPatience(
        quit: Nanoseconds(Seconds(0.3)), terminate: Nanoseconds(Seconds(0.3)), kill: ScriptedWorker.patience)

    private static func script(_ fault: String) -> String {
        #"{"load": {"cold_ns": 0}, "faults": [\#(fault)]}"#
    }

    @Test func aWorkerThatIgnoresQuitIsTerminated() throws {
        let worker = try ScriptedWorker(Self.script(#"{"kind": "ignore_quit"}"#))
        _ = try worker.events(until: "hello")
        var patience = Self.short
        patience.terminate = ScriptedWorker.patience
        let exit = worker.process.finish(patience)
        #expect(exit.step == .terminate)
        #expect(exit.kind == .forced)
        #expect(exit.signal == SIGTERM)
        #expect(exit.cause == "did not stop when asked and was ended by SIGTERM")
    }

    @Test func aWorkerThatIgnoresSIGTERMIsKilled() throws {
        let worker = try ScriptedWorker(Self.script(#"{"kind": "ignore_terminate"}"#))
        _ = try worker.events(until: "hello")
        let exit = worker.process.finish(Self.short)
        #expect(exit.step == .kill)
        #expect(exit.kind == .forced)
        #expect(exit.signal == SIGKILL)
        #expect(!ProcessTable.isRunning(worker.process.pid))
    }

    @Test func aHangingWorkerIsEnded() throws {
        let worker = try ScriptedWorker(Self.script(#"{"at": "load", "kind": "hang"}"#))
        _ = try worker.events(until: "hello")
        try worker.process.send(.go)
        try worker.process.send(.load(LoadRequest(model: "m")))
        #expect(ProcessTable.waitUntil { worker.process.logTail(bytes: 100) == "hanging\n" })
        let exit = worker.process.finish(Self.short)
        #expect(exit.kind == .forced)
        #expect(!ProcessTable.isRunning(worker.process.pid))
    }

    /// Each rung would be waited for half a minute, and neither `quit` nor SIGTERM would do.
    @Test func whoeverIsInAHurryGoesStraightToTheLastRung() throws {
        let worker = try ScriptedWorker(Self.script(#"{"kind": "ignore_terminate"}"#))
        _ = try worker.events(until: "hello")
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try #require(write(ends[1], "x", 1) == 1)
        var taken = 0
        let exit = worker.process.finish(
            TeardownPatience(
                quit: ScriptedWorker.patience, terminate: ScriptedWorker.patience,
                kill: ScriptedWorker.patience),
            hurry: Hurry(descriptor: ends[0]) {
                taken += 1
                return true
            })
        #expect(taken == 1)
        #expect(exit.step == .kill && exit.signal == SIGKILL)
        #expect(!ProcessTable.isRunning(worker.process.pid))
    }

    /// What is no hurry leaves the ladder as it is.
    @Test func aFalseAlarmIsNoHurry() throws {
        let worker = try ScriptedWorker("{}")
        _ = try worker.events(until: "hello")
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try #require(write(ends[1], "x", 1) == 1)
        let exit = worker.process.finish(
            hurry: Hurry(descriptor: ends[0]) {
                var byte: UInt8 = 0
                _ = read(ends[0], &byte, 1)
                return false
            })
        #expect(exit.step == .quit && exit.isInOrder)
    }

    @Test func aStoppedWorkerIsEnded() throws {
        let worker = try ScriptedWorker("{}")
        _ = try worker.events(until: "hello")
        #expect(chost_kill_group(worker.process.pid, SIGSTOP) == 0)
        let exit = worker.process.finish(Self.short)
        #expect(exit.step == .kill)
    }

    @Test(arguments: [
        "", #", {"at": "prefill", "kind": "crash"}"#, #", {"at": "prefill", "kind": "close_events"}"#,
    ])
    func childrenLeftInTheGroupAreKilled(_ end: String) throws {
        let worker = try ScriptedWorker(Self.script(#"{"at": "load", "kind": "leave_child"}"# + end))
        try worker.load()
        let child = try #require(ProcessTable.child(in: worker.process.logTail(bytes: 1000)))
        #expect(ProcessTable.isRunning(child))
        try worker.process.send(ScriptedWorker.request())
        // The child holds the event pipe too, so its end never comes: only the pidfd tells.
        if !end.isEmpty { #expect(ProcessTable.isGone(worker.process.pid)) }
        _ = worker.process.finish()
        #expect(ProcessTable.isGone(child))
    }

    @Test func aWorkerGivenUpLeavesNothing() throws {
        var pid: Int32 = 0
        var child: Int32 = 0
        do {
            let worker = try ScriptedWorker(
                Self.script(#"{"kind": "leave_child"}, {"kind": "ignore_terminate"}"#))
            _ = try worker.events(until: "hello")
            pid = worker.process.pid
            child = try #require(ProcessTable.child(in: worker.process.logTail(bytes: 1000)))
        }
        // Not even a zombie: it was reaped.
        #expect(kill(pid, 0) == -1 && errno == ESRCH)
        #expect(ProcessTable.isGone(child))
    }

    @Test func eventsReadDuringTeardownAreNotLost() throws {
        let worker = try ScriptedWorker(
            #"{"load": {"cold_ns": 0}, "prefill": {"ns": 0}, "decode": {"ns": 0}, "#
                + #""faults": [{"kind": "ignore_quit"}]}"#
        )
        try worker.load()
        try worker.process.send(ScriptedWorker.request(generated: 10))
        var patience = Self.short
        patience.quit = Nanoseconds(Seconds(2))
        _ = worker.process.finish(patience)
        let left = worker.process.receive()
        #expect(left.compactMap(\.event).flatMap(\.stamps).count == 10)
        #expect(left.last == .closed(torn: false))
    }

    @Test func sendingToADeadWorkerFails() throws {
        let worker = try ScriptedWorker(Self.script(#"{"kind": "crash"}"#))
        _ = try worker.receiveUntilClosed()
        #expect(ProcessTable.isGone(worker.process.pid))
        let failure = #expect(throws: Failure.self) { try worker.process.send(.go) }
        #expect(failure?.exit == .engineFailed)
        #expect(failure?.errno == EPIPE)
        _ = worker.process.finish()
        #expect(throws: Failure.self) { try worker.process.send(.quit) }
    }

    @Test func sendingToAWorkerThatDoesNotReadFailsInTheEnd() throws {
        let worker = try ScriptedWorker("{}")
        _ = try worker.events(until: "hello")
        #expect(chost_kill_group(worker.process.pid, SIGSTOP) == 0)
        let long = Command.load(LoadRequest(model: String(repeating: "m", count: 300_000)))
        let failure = #expect(throws: Failure.self) { try worker.process.send(long) }
        #expect(failure?.errno == EAGAIN)
        #expect(failure?.cause.contains("does not read its commands") == true)
    }

    @Test func aWorkerDiesWithItsParent() throws {
        let directory = try ScratchDirectory()
        // The middle process starts the worker by the same C call that sustain uses, then waits for its end.
        let script = try directory.file("script.json", #"{"faults": [{"kind": "ignore_terminate"}]}"#)
        let middle = try WorkerProcess.spawn(
            WorkerLaunch(
                executable: TestPrograms.scriptedEngine,
                arguments: ["--parent", script, directory.path + "/inner.log"],
                environment: [], logPath: directory.path + "/outer.log"))
        #expect(ProcessTable.waitUntil { ProcessTable.child(in: middle.logTail(bytes: 100)) != nil })
        let worker = try #require(ProcessTable.child(in: middle.logTail(bytes: 100)))
        #expect(ProcessTable.isRunning(worker))
        #expect(kill(middle.pid, SIGKILL) == 0)
        #expect(ProcessTable.isGone(worker))
        #expect(middle.finish().signal == SIGKILL)
    }
}
