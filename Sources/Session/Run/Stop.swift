import Analysis
import Glibc

/// Why a run ends before its last step.
enum Stop: Error {
    /// SIGINT or SIGTERM: the record is finished with what there is.
    case signal(Int32)
    /// The worker died, broke the protocol or reported an error.
    case engine(OutcomeLine, Failure)
    /// Something of ours failed: the disk is full, a descriptor is lost.
    case failed(Failure)
    /// The run was refused before it started measuring: conditions, memory, no energy source.
    case refused(Failure)

    /// The outcome as the trace keeps it.
    func outcome(in part: Part) -> OutcomeLine {
        switch self {
        case .signal(let number):
            var line = OutcomeLine(.interrupted, part: part, cause: Self.name(of: number))
            line.signal = number
            return line
        case .engine(var line, _):
            line.part = part
            return line
        case .failed(let failure):
            var line = OutcomeLine(.failed, part: part, cause: "\(failure.thing): \(failure.cause)")
            line.remedy = failure.remedy
            return line
        case .refused(let failure):
            var line = OutcomeLine(.refused, part: part, cause: "\(failure.thing): \(failure.cause)")
            line.remedy = failure.remedy
            return line
        }
    }

    /// A signal that ends a run, or a measured command, by its name.
    static func name(of signal: Int32) -> String {
        switch signal {
        case SIGINT: "SIGINT"
        case SIGTERM: "SIGTERM"
        case SIGHUP: "SIGHUP"
        case SIGQUIT: "SIGQUIT"
        default: "signal \(signal)"
        }
    }

    /// What the user is told, and the code the program ends with.
    var failure: Failure {
        switch self {
        case .signal(let number):
            Failure(
                thing: Self.name(of: number), cause: "the run was interrupted", exit: .interrupted)
        case .engine(_, let failure), .failed(let failure), .refused(let failure): failure
        }
    }
}
