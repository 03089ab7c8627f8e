import Analysis
import Engines
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
        shouldContinue: @escaping () -> Bool = { true }
    ) -> Result<Answer, Problem> {
        let deadline = Clock.now + Nanoseconds(patience)
        do throws(EngineProblem) {
            let conversation = try EngineConversation(launch, shouldContinue: shouldContinue)
            let hello = try conversation.greet(within: patience)
            let engine = EngineSummary(hello.engineLine).librarySHA256.value
            try conversation.send(.go)
            let left = max(Nanoseconds(0), deadline - Clock.now).seconds
            let sized = try conversation.ask(.size(request), within: left) { event in
                if case .sized(let sized) = event { sized } else { nil }
            }
            return .success(Answer(sized: sized, engine: engine))
        } catch {
            let isRefusal = error.code.map(["refused", "load_failed"].contains) ?? false
            return .failure(Problem(cause: error.cause, isRefusal: isRefusal))
        }
    }
}
