import Analysis
import CHost
import Glibc
import Testing
import WorkerProtocol

@testable import Engines

/// A scripted engine under test, with its script and log in a directory of its own.
struct ScriptedWorker {
    let directory: ScratchDirectory
    let process: WorkerProcess

    /// Long enough for a loaded machine: no test passes or fails by how fast it is.
    static let patience = Nanoseconds(Seconds(30))

    init(_ script: String, environment: [String] = []) throws {
        directory = try ScratchDirectory()
        process = try WorkerProcess.spawn(
            WorkerLaunch(
                executable: TestPrograms.scriptedEngine,
                arguments: [try directory.file("script.json", script)],
                environment: environment, logPath: directory.path + "/worker.log"))
    }

    /// What arrives up to the first message that `isLast` accepts, or up to the closing of the pipe.
    func receive(until isLast: (Incoming) -> Bool) throws -> [Incoming] {
        let deadline = chost_monotonic_ns() + UInt64(Self.patience.value)
        var received: [Incoming] = []
        while chost_monotonic_ns() < deadline {
            let messages = process.receive()
            received += messages
            if messages.contains(where: { $0.isClosed || isLast($0) }) { return received }
            var waiting = pollfd(fd: process.eventDescriptor, events: Int16(POLLIN), revents: 0)
            _ = chost_ppoll(&waiting, 1, 100_000_000)
        }
        throw SetUpError("nothing came in time after \(received.count) messages")
    }

    func receiveUntilClosed() throws -> [Incoming] { try receive { _ in false } }

    /// Sends a command and returns the events up to the named one.
    func ask(_ command: Command, until event: String) throws -> [Event] {
        try process.send(command)
        return try events(until: event)
    }

    func events(until name: String) throws -> [Event] {
        let received = try receive { $0.event?.name == name }
        guard received.contains(where: { $0.event?.name == name }) else {
            throw SetUpError("no \(name): \(received); log: \(process.logTail(bytes: 1000))")
        }
        return received.compactMap(\.event)
    }

    /// Brings it as far as a loaded model.
    func load() throws {
        _ = try events(until: "hello")
        try process.send(.go)
        _ = try ask(.load(LoadRequest(model: "model.gguf")), until: "loaded")
    }

    static func request(
        cycle: Int = 0, prompt: Int = 8, generated: Int = 4, seed: UInt64 = 1, deadline: UInt64? = nil
    ) -> Command {
        .generate(
            GenerateRequest(
                cycle: cycle, promptTokens: prompt, generatedTokens: generated, seed: seed, sampling: .greedy,
                deadlineNanoseconds: deadline))
    }
}

extension Incoming {
    var event: Event? { if case .event(let event) = self { event } else { nil } }
    var garbage: LineCodec.Garbage? { if case .garbage(let garbage) = self { garbage } else { nil } }
    var isClosed: Bool { if case .closed = self { true } else { false } }
}

extension Event {
    var markName: Mark.Name? { if case .mark(let mark) = self { mark.mark } else { nil } }
    var markCycle: Int? { if case .mark(let mark) = self { mark.cycle } else { nil } }
    var done: Done? { if case .done(let done) = self { done } else { nil } }

    /// The stamps of a batch.
    var stamps: [UInt64] {
        guard case .tokens(let batch) = self else { return [] }
        return batch.deltaNanoseconds.reduce(into: [batch.startNanoseconds]) {
            $0.append($0[$0.count - 1] + $1)
        }
    }
}

extension [Event] {
    func mark(_ name: Mark.Name) -> Mark? {
        for case .mark(let mark) in self where mark.mark == name { return mark }
        return nil
    }
}

/// Processes as the kernel sees them.
enum ProcessTable {
    /// True while the process runs; a zombie that somebody has yet to reap does not.
    static func isRunning(_ pid: Int32) -> Bool {
        guard let status = smallFile("/proc/\(pid)/status") else { return false }
        return !String(decoding: status, as: UTF8.self).contains("State:\tZ")
    }

    /// Waits until it has ended.
    static func isGone(_ pid: Int32) -> Bool { waitUntil { !isRunning(pid) } }

    /// Looks again and again until the condition holds; false when it does not within the patience.
    static func waitUntil(_ condition: () -> Bool) -> Bool {
        let deadline = chost_monotonic_ns() + UInt64(ScriptedWorker.patience.value)
        while !condition() {
            let now = chost_monotonic_ns()
            guard now < deadline else { return false }
            chost_sleep_until(now + 5_000_000)
        }
        return true
    }

    /// The number in the line "child N" of a log.
    static func child(in log: String) -> Int32? {
        log.split(separator: "\n").first { $0.hasPrefix("child ") }.flatMap { Int32($0.dropFirst(6)) }
    }
}
