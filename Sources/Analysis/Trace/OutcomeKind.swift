extension OutcomeLine {
    /// What ended a run, told apart for programs; `cause` has it in words.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// The governor of memory ended the engine before the kernel did.
        case governor
        /// The kernel's out-of-memory killer ended the engine.
        case oomKill = "oom_kill"
        /// SIGKILL from outside, and nothing says that memory was the reason.
        case killed
        /// The engine was refused memory and said so itself.
        case outOfMemory = "out_of_memory"
        /// An accelerator's memory ran out.
        case deviceOutOfMemory = "device_out_of_memory"
        /// A C++ allocation failed and the engine ended of it.
        case badAllocation = "bad_alloc"
        /// A signal that a program's own fault raises.
        case signal
        case exitStatus = "exit_status"
        /// It owed an answer and said nothing for too long.
        case silence
        /// It wrote what its protocol does not know.
        case protocolBroken = "protocol"
        /// It reported an error that is none of the above.
        case engineError = "engine_error"
        /// `--until-failure`: more than there is would have been needed, by the estimate.
        case predictedEnd = "predicted_end"
        /// `--until-failure`: the longest context was decoded to its end.
        case endReached = "end_reached"
        /// `--until-failure`: `--seconds` were over.
        case timeOver = "time_over"
        /// A kind of a later version.
        case other

        public init(from decoder: any Decoder) throws {
            self = Kind(rawValue: try String(from: decoder)) ?? .other
        }
    }
}
