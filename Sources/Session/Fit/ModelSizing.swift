import Analysis
import CHost
import Engines
import Glibc
import WorkerProtocol

/// Asks an engine what a load would take, in a process of its own that ends with the answer: whatever goes
/// wrong in it costs the estimate and nothing else.
enum ModelSizing {
    struct Answer: Sendable {
        var sized: Sized
        /// SHA-256 of the engine's main library; nil when it cannot be told.
        var engine: String?
    }

    /// What of an engine's dry run has gone wrong, in words.
    struct Problem: Error, Sendable {
        var cause: String
        /// The engine itself said no, and not for want of memory: it would say so to a load too.
        var isRefusal = false
    }

    /// - Parameters:
    ///   - patience: how long the engine may take for all of it.
    ///   - shouldContinue: asked ten times a second; false ends it.
    static func ask(
        _ launch: WorkerLaunch, _ request: LoadRequest, patience: Seconds,
        shouldContinue: () -> Bool = { true }
    ) -> Result<Answer, Problem> {
        let worker: WorkerProcess
        do throws(Failure) {
            worker = try WorkerProcess.spawn(launch)
        } catch {
            return .failure(Problem(cause: "\(error.thing): \(error.cause)"))
        }
        var conversation = Conversation(worker: worker, request: request)
        let deadline = Clock.now + Nanoseconds(patience)
        while conversation.result == nil, Clock.now < deadline, shouldContinue() {
            wait(for: worker, until: min(deadline, Clock.now + Nanoseconds(100_000_000)))
            for incoming in worker.receive() { conversation.take(incoming) }
        }
        let exit = worker.finish(
            TeardownPatience(
                quit: Nanoseconds(Seconds(1)), terminate: Nanoseconds(Seconds(1)),
                kill: Nanoseconds(Seconds(5))))
        // What it said last may explain its end.
        for incoming in worker.receive() { conversation.take(incoming) }
        switch conversation.result {
        case .success(let answer)?: return .success(answer)
        case .failure(let problem)? where problem.cause != Conversation.ended: return .failure(problem)
        case .failure?: return .failure(Problem(cause: exit.cause))
        case nil:
            return .failure(Problem(cause: "no answer within \(Int(patience.value)) s"))
        }
    }

    private static func wait(for worker: WorkerProcess, until moment: Instant) {
        var waiting = pollfd(fd: worker.eventDescriptor, events: Int16(POLLIN), revents: 0)
        _ = chost_ppoll(&waiting, 1, max(0, (moment - Clock.now).value))
    }

    private struct Conversation {
        let worker: WorkerProcess
        let request: LoadRequest
        var result: Result<Answer, Problem>?
        private var engine: String?

        /// Stands in until the exit is known.
        static let ended = "ended without an answer"

        init(worker: WorkerProcess, request: LoadRequest) {
            self.worker = worker
            self.request = request
        }

        mutating func take(_ incoming: Incoming) {
            // A worker that dies says why, if it can, before its pipe closes.
            if case .success? = result { return }
            switch incoming {
            case .event(.hello(let hello)): greet(hello)
            case .event(.sized(let sized)): result = .success(Answer(sized: sized, engine: engine))
            case .event(.error(let error)):
                let isRefusal = ["refused", "load_failed"].contains(error.code)
                result = .failure(Problem(cause: "\(error.thing): \(error.cause)", isRefusal: isRefusal))
            case .event: break
            case .garbage(let garbage): result = .failure(Problem(cause: "wrote garbage: \(garbage.cause)"))
            case .closed: if result == nil { result = .failure(Problem(cause: Self.ended)) }
            }
        }

        private mutating func greet(_ hello: Hello) {
            guard hello.protocol == Hello.currentProtocol else {
                result = .failure(Problem(cause: "speaks \"\(hello.protocol)\""))
                return
            }
            var line = EngineLine(kind: hello.engine, version: hello.version)
            for path in hello.libraries {
                line.libraries[path] = ArtifactHash.sha256(ofFile: path, cache: HashCache.user())
            }
            engine = EngineSummary(line).librarySHA256.value
            do throws(Failure) {
                try worker.send(.go)
                try worker.send(.size(request))
            } catch {
                result = .failure(Problem(cause: error.cause))
            }
        }
    }
}
