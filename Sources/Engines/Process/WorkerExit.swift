import Analysis
import CHost
import Glibc

/// How a worker ended, and what it took.
public struct WorkerExit: Sendable, Hashable {
    /// The last rung of the teardown ladder that was needed.
    public enum Step: String, Sendable, Hashable {
        /// It had ended by itself.
        case none
        /// The `quit` command or the end of the command pipe.
        case quit
        case terminate
        case kill
    }

    /// The classes of ends that a record tells apart (docs/metrics.md, "Memory", death).
    public enum Kind: String, Sendable, Hashable {
        /// Exit status 0.
        case inOrder = "in_order"
        /// Another exit status.
        case exitStatus = "exit_status"
        /// A signal that a program's own fault raises, or another one from outside.
        case signal
        /// SIGKILL from outside, and the kernel's out-of-memory killer has struck meanwhile.
        case oomKill = "oom_kill"
        /// SIGKILL from outside, and nothing says that memory was the cause.
        case killed
        /// A C++ allocation failed and the worker ended because of it.
        case badAllocation = "bad_alloc"
        /// An accelerator's memory ran out and the worker ended because of it.
        case deviceOutOfMemory = "device_out_of_memory"
        /// It did not stop when asked and was ended by a signal of ours.
        case forced
        /// It is stuck in the kernel and was still there after SIGKILL.
        case stuck
        /// It has ended, and the kernel did not say how.
        case unknown
    }

    /// The exit status, nil when a signal ended it or it has not ended.
    public let exitStatus: Int32?
    /// The signal that ended it, nil when it exited or has not ended.
    public let signal: Int32?
    public let step: Step
    public let kind: Kind
    /// What happened in plain words: "exit status 3", "SIGSEGV (segmentation fault)".
    public let cause: String
    /// Largest resident set of the worker over its life, bytes (getrusage(2), ru_maxrss).
    public let peakResidentBytes: Maybe<UInt64>
    /// CPU time the worker used, user and kernel mode together.
    public let cpuTime: Maybe<Nanoseconds>

    /// True when the worker ended as it should: asked to, with exit status 0.
    public var isInOrder: Bool { kind == .inOrder }
}

extension WorkerExit {
    /// What is known of an end beside the kernel's own report.
    struct Evidence: Sendable, Hashable {
        var step: Step
        /// The out-of-memory counters at the start of the worker and now.
        var before: OutOfMemoryCounters
        var after: OutOfMemoryCounters
        /// The last bytes of the worker's log.
        var logTail: [UInt8]
        /// The parent's own resident set at the start, bytes: a smaller peak of the worker is not visible.
        var parentResidentBytes: UInt64?
    }

    init(_ end: chost_end, _ evidence: Evidence) {
        exitStatus = end.signal == 0 ? end.status : nil
        signal = end.signal == 0 ? nil : end.signal
        step = evidence.step
        (kind, cause) = Self.diagnosis(end, evidence)
        peakResidentBytes = Self.peak(end, evidence)
        cpuTime = .known(Nanoseconds(end.user_ns + end.system_ns))
    }

    /// A worker that is still there after SIGKILL.
    static func stuck(after patience: Nanoseconds) -> WorkerExit {
        let why = "the worker has not ended"
        return WorkerExit(
            exitStatus: nil, signal: nil, step: .kill, kind: .stuck,
            cause:
                "still there \(patience.seconds.value) s after SIGKILL: stuck in a system call or a driver",
            peakResidentBytes: .unavailable(why), cpuTime: .unavailable(why))
    }

    /// A worker that has ended without leaving its status.
    static func unknown(step: Step, error: Int32) -> WorkerExit {
        let why = "how the worker ended is lost: \(systemErrorText(error))"
        return WorkerExit(
            exitStatus: nil, signal: nil, step: step, kind: .unknown, cause: why,
            peakResidentBytes: .unavailable(why), cpuTime: .unavailable(why))
    }

    private static func diagnosis(_ end: chost_end, _ evidence: Evidence) -> (Kind, String) {
        if end.signal == 0 && end.status == 0 { return (.inOrder, "exit status 0") }
        let how = end.signal == 0 ? "exit status \(end.status)" : SignalName.text(end.signal)
        if end.signal == SIGTERM && evidence.step == .terminate {
            return (.forced, "did not stop when asked and was ended by SIGTERM")
        }
        if end.signal == SIGKILL && evidence.step == .kill {
            return (.forced, "did not stop when asked, nor at SIGTERM, and was ended by SIGKILL")
        }
        if end.signal == SIGKILL {
            let (kind, clue) = killer(evidence)
            return (kind, "SIGKILL: \(clue)")
        }
        guard let complaint = MemoryComplaint.last(in: evidence.logTail) else {
            return (end.signal == 0 ? .exitStatus : .signal, how)
        }
        let kind: Kind =
            switch complaint.kind {
            case .badAllocation: .badAllocation
            case .device: .deviceOutOfMemory
            case .unspecified: end.signal == 0 ? .exitStatus : .signal
            }
        return (kind, "\(how); its log says \"\(complaint.line)\"")
    }

    /// Who may have sent a SIGKILL that was not ours.
    private static func killer(_ evidence: Evidence) -> (Kind, String) {
        if let before = evidence.before.controlGroup, let after = evidence.after.controlGroup, after > before
        {
            return (
                .oomKill,
                "the kernel's OOM killer (oom_kill of the control group went from \(before) to \(after))"
            )
        }
        guard let before = evidence.before.machine, let after = evidence.after.machine else {
            return (.killed, "perhaps the kernel's OOM killer (its counters cannot be read)")
        }
        if after > before {
            return (
                .oomKill,
                "perhaps the kernel's OOM killer (oom_kill of the machine went from \(before) to \(after))"
            )
        }
        return (
            .killed, "from outside, and the kernel counted no OOM kill: perhaps an OOM daemon or a person"
        )
    }

    /// ru_maxrss counts from the fork, when the child was a copy of this process.
    private static func peak(_ end: chost_end, _ evidence: Evidence) -> Maybe<UInt64> {
        guard let kibibytes = UInt64(exactly: end.peak_rss_kib), kibibytes > 0 else {
            return .unavailable("the kernel gave no peak")
        }
        guard let parent = evidence.parentResidentBytes else {
            return .unavailable("cannot be told from the size of sustain at the start")
        }
        let bytes = kibibytes * 1024
        return bytes > parent ? .known(bytes) : .unavailable("not above the size of sustain at the start")
    }
}
