import Analysis
import CHost
import Engines
import Glibc
import WorkerProtocol

/// What went wrong in a conversation with an engine, in words.
struct EngineProblem: Error, Sendable {
    var cause: String
    /// Of the engine's own error; nil for everything else, and where it gave none.
    var code: String?
    /// We ended it ourselves.
    var isInterruption = false

    /// - Parameter thing: what was being done with which engine.
    func failure(_ thing: String) -> Failure {
        Failure(thing: thing, cause: cause, exit: isInterruption ? .interrupted : .engineFailed)
    }
}

/// A conversation with an engine in a process of its own, one command after the other, outside of all measuring.
/// The process ends with it.
final class EngineConversation {
    private let worker: WorkerProcess
    private let shouldContinue: () -> Bool
    private var arrived: [Incoming] = []

    private static let patienceAtTheEnd = TeardownPatience(
        quit: Nanoseconds(Seconds(1)), terminate: Nanoseconds(Seconds(1)), kill: Nanoseconds(Seconds(5)))

    /// - Parameter shouldContinue: asked ten times a second; false ends it.
    init(
        _ launch: WorkerLaunch, shouldContinue: @escaping () -> Bool = { true }
    ) throws(EngineProblem) {
        self.shouldContinue = shouldContinue
        do {
            worker = try WorkerProcess.spawn(launch)
        } catch {
            throw EngineProblem(cause: "\(error.thing): \(error.cause)")
        }
    }

    deinit { _ = worker.finish(Self.patienceAtTheEnd) }

    /// Waits for the engine's first word.
    func greet(within patience: Seconds) throws(EngineProblem) -> Hello {
        let hello = try answer(within: patience) { if case .hello(let hello) = $0 { hello } else { nil } }
        guard hello.protocol == Hello.currentProtocol else {
            throw EngineProblem(cause: "speaks \"\(hello.protocol)\"")
        }
        return hello
    }

    func send(_ command: Command) throws(EngineProblem) {
        do { try worker.send(command) } catch { throw EngineProblem(cause: error.cause) }
    }

    /// Sends a command and waits for its answer.
    ///
    /// - Parameter accept: the event's body where it is the answer.
    func ask<Answer>(
        _ command: Command, within patience: Seconds, _ accept: (Event) -> Answer?
    ) throws(EngineProblem) -> Answer {
        try send(command)
        return try answer(within: patience, accept)
    }

    private func answer<Answer>(
        within patience: Seconds, _ accept: (Event) -> Answer?
    ) throws(EngineProblem) -> Answer {
        let deadline = Clock.now + Nanoseconds(patience)
        while true {
            arrived += worker.receive()
            while !arrived.isEmpty {
                switch arrived.removeFirst() {
                case .event(.error(let error)):
                    throw EngineProblem(cause: "\(error.thing): \(error.cause)", code: error.code)
                case .event(let event): if let answer = accept(event) { return answer }
                case .garbage(let garbage): throw EngineProblem(cause: "wrote garbage: \(garbage.cause)")
                case .closed: throw EngineProblem(cause: worker.finish(Self.patienceAtTheEnd).cause)
                }
            }
            guard shouldContinue() else {
                throw EngineProblem(cause: "interrupted", isInterruption: true)
            }
            let now = Clock.now
            guard now < deadline else {
                throw EngineProblem(cause: "no answer within \(Int(patience.value)) s")
            }
            wait(until: min(deadline, now + Nanoseconds(100_000_000)))
        }
    }

    private func wait(until moment: Instant) {
        var waiting = pollfd(fd: worker.eventDescriptor, events: Int16(POLLIN), revents: 0)
        _ = chost_ppoll(&waiting, 1, max(0, (moment - Clock.now).value))
    }
}

extension Hello {
    /// The engine as it says it is, its libraries hashed.
    var engineLine: EngineLine {
        var line = EngineLine(kind: engine, version: version)
        line.build = build
        for path in libraries {
            line.libraries[path] = ArtifactHash.sha256(ofFile: path, cache: HashCache.user())
        }
        return line
    }
}
