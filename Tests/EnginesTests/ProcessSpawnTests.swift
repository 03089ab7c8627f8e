import Analysis
import CHost
import FoundationEssentials
import Glibc
import Testing
import WorkerProtocol

@testable import Engines

/// What a worker is born with, and what happens when it cannot be born.
@Suite struct ProcessSpawnTests {
    @Test func theWorkerHasItsFiveDescriptorsAndNoOther() throws {
        let worker = try ScriptedWorker("{}")
        _ = try worker.events(until: "hello")
        let directory = "/proc/\(worker.process.pid)/fd"
        var links: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            links[name] = try? FileManager.default.destinationOfSymbolicLink(atPath: directory + "/" + name)
        }
        #expect(links["0"] == "/dev/null")
        #expect(links["1"] == worker.directory.path + "/worker.log")
        #expect(links["2"] == links["1"])
        #expect(links["3"]?.hasPrefix("pipe:") == true)
        #expect(links["4"]?.hasPrefix("pipe:") == true)
        #expect(links["3"] != links["4"])
        // The engine itself opens one eventfd.
        #expect(links.count == 6)
    }

    @Test func theWorkerLeadsAGroupAndHasPlainSignals() throws {
        let worker = try ScriptedWorker("{}")
        _ = try worker.events(until: "hello")
        #expect(getpgid(worker.process.pid) == worker.process.pid)
        let path = "/proc/\(worker.process.pid)/status"
        func line(_ name: String) -> Substring? {
            String(decoding: smallFile(path) ?? [], as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix(name + ":") }?.split(separator: "\t").last
        }
        // The engine blocks SIGPIPE for the length of a write; it may still be in the one that brought hello.
        for name in ["SigBlk", "SigIgn", "SigCgt"] {
            #expect(ProcessTable.waitUntil { line(name) == "0000000000000000" }, "\(name)")
        }
        // A rule of the protocol: no second thread before "go".
        #expect(line("Threads") == "1")
    }

    @Test func bothDescriptorsCanBePolled() throws {
        let worker = try ScriptedWorker("{}")
        _ = try worker.events(until: "hello")
        var waiting = [
            pollfd(fd: worker.process.eventDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: worker.process.processDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        #expect(chost_ppoll(&waiting, 2, 0) == 0)
        #expect(kill(worker.process.pid, SIGKILL) == 0)
        #expect(ProcessTable.isGone(worker.process.pid))
        #expect(chost_ppoll(&waiting, 2, 0) == 2)
        #expect(worker.process.receive() == [.closed(torn: false)])
        #expect(worker.process.receive() == [])
    }

    @Test func memoryThatWasTouchedIsInThePeak() throws {
        // More than the process of the tests itself: below its own size a child's peak cannot be told.
        let worker = try ScriptedWorker(#"{"load": {"cold_ns": 0, "allocate_mb": 1500}}"#)
        try worker.load()
        let peak = try #require(worker.process.finish().peakResidentBytes.value)
        #expect(peak >= 1500 << 20)
        #expect(peak < 2000 << 20)
    }

    static let unusable: [(program: String, text: String?, mode: mode_t, errno: Int32, remedy: String)] = [
        ("missing", nil, 0, ENOENT, "check the path"),
        ("plain", "#!/bin/sh\n", 0o644, EACCES, "chmod +x"),
        ("text", "no program\n", 0o755, ENOEXEC, "no program of this machine"),
        ("script", "#!/nonexistent/interpreter\n", 0o755, ENOENT, "#!"),
        ("", nil, 0, EACCES, "chmod +x"),
    ]

    @Test(arguments: unusable.indices)
    func aProgramThatCannotRunIsAFailureWithARemedy(_ index: Int) throws {
        let unusable = Self.unusable[index]
        let directory = try ScratchDirectory()
        let path = directory.path + "/" + unusable.program
        if let text = unusable.text {
            _ = try directory.file(unusable.program, text)
            #expect(chmod(path, unusable.mode) == 0)
        }
        let failure = try #require(
            #expect(throws: Failure.self) {
                try WorkerProcess.spawn(
                    WorkerLaunch(executable: path, environment: [], logPath: directory.path + "/log"))
            })
        #expect(failure.thing == path)
        #expect(failure.errno == unusable.errno)
        #expect(failure.exit == .engineFailed)
        #expect(failure.cause.hasPrefix("cannot execute the program: "))
        #expect(failure.remedy?.contains(unusable.remedy) == true)
    }

    @Test func aLogThatCannotBeOpenedIsAFailure() throws {
        let launch = WorkerLaunch(
            executable: "/bin/true", environment: [], logPath: "/nonexistent/worker.log")
        let failure = #expect(throws: Failure.self) { try WorkerProcess.spawn(launch) }
        #expect(failure?.thing == "/nonexistent/worker.log")
        #expect(failure?.errno == ENOENT)
    }

    @Test func aZeroByteInAnArgumentIsRefused() throws {
        let directory = try ScratchDirectory()
        let launch = WorkerLaunch(
            executable: "/bin/true", arguments: ["a\u{0}b"], environment: [], logPath: directory.path + "/log"
        )
        #expect(throws: Failure.self) { try WorkerProcess.spawn(launch) }
    }

    @Test func theEnvironmentIsTheCallersWithTheProtocolsVariables() {
        #expect(
            WorkerProcess.workerEnvironment(["A=1", "SUSTAIN_EVENT_FD=9", "SUSTAIN_EVENT_FDX=9"]) == [
                "A=1", "SUSTAIN_EVENT_FDX=9", "SWIFT_BACKTRACE=enable=no", "SUSTAIN_COMMAND_FD=3",
                "SUSTAIN_EVENT_FD=4",
            ])
        #expect(
            WorkerProcess.workerEnvironment(["SWIFT_BACKTRACE=enable=yes"]).first
                == "SWIFT_BACKTRACE=enable=yes")
    }
}
