import Analysis
import Engines
import WorkerProtocol

/// How a run ends that the worker ends: what is said of it, by kind and in words.
extension RunDriver {
    func hung(_ silence: Seconds) -> Stop {
        engineStop(
            .silence, cause: "said nothing for \(Int(silence.value)) s and was ended",
            remedy: "a slow engine may need a larger --engine-timeout; its log: \(logPath)")
    }

    func engineStop(_ error: WorkerError) -> Stop {
        let kind: OutcomeLine.Kind =
            switch error.code {
            case "out_of_memory": .outOfMemory
            case "device_out_of_memory": .deviceOutOfMemory
            default: .engineError
            }
        return engineStop(kind, cause: "\(error.thing): \(error.cause)", remedy: error.remedy)
    }

    func engineStop(_ kind: OutcomeLine.Kind, cause: String, remedy: String? = nil) -> Stop {
        var line = OutcomeLine(.engineFailed, cause: cause, kind: kind)
        line.remedy = remedy
        return .engine(line, engineFailure(cause, remedy: remedy))
    }

    private func engineFailure(_ cause: String, remedy: String?) -> Failure {
        Failure(
            thing: "engine", cause: cause, remedy: remedy ?? "its log: \(logPath)",
            exit: .engineFailed)
    }

    /// What it said last is taken first: an error it reported tells more than its exit.
    func workerDied() throws(Stop) -> Stop {
        guard let worker else { return engineStop(.engineError, cause: "ended") }
        while try receive() {}
        let exit = worker.finish()
        while try receive() {}
        try forget(worker)
        return engineStop(after: exit, detail: answers.wroteTornLine ? "; its last line was torn" : "")
    }

    /// A worker that has ended is no longer looked at.
    func forget(_ worker: WorkerProcess) throws(Stop) {
        self.worker = nil
        loop.workerEvents = nil
        loop.workerProcess = nil
        try keepLogShort(worker)
    }

    /// The engine ended by itself or by another's hand.
    func engineStop(after exit: WorkerExit, detail: String) -> Stop {
        let cause = "ended unasked: \(exit.cause)\(detail)"
        var line = OutcomeLine(.engineFailed, cause: cause, kind: OutcomeLine.Kind(exit.kind))
        line.signal = exit.signal
        line.exitStatus = exit.exitStatus
        return .engine(line, engineFailure(cause, remedy: nil))
    }
}

extension OutcomeLine.Kind {
    /// Of an end that nobody asked for.
    init(_ exit: WorkerExit.Kind) {
        switch exit {
        case .oomKill: self = .oomKill
        case .killed: self = .killed
        case .badAllocation: self = .badAllocation
        case .deviceOutOfMemory: self = .deviceOutOfMemory
        case .signal: self = .signal
        case .inOrder, .exitStatus: self = .exitStatus
        case .forced, .stuck, .unknown: self = .engineError
        }
    }
}
