import Analysis
import CHost
import Glibc

/// CLOCK_MONOTONIC as a value of the project.
enum Clock {
    static var now: Instant { Instant(nanoseconds: chost_monotonic_ns()) }

    /// CLOCK_BOOTTIME - CLOCK_MONOTONIC: it grows while the machine sleeps.
    static var slept: Int64 {
        Int64(bitPattern: chost_boottime_ns()) &- Int64(bitPattern: chost_monotonic_ns())
    }
}

/// A closed terminal or pipe is an error value of the write, never the end of the program.
public enum ClosedPipes {
    /// From now on, in the whole program; a measured command gets SIGPIPE as our caller had it.
    public static func areErrors() {
        // It fails for a number that is no signal's only.
        _ = chost_ignore_pipe_signal()
    }
}

/// The run thread's one wait: signals, worker, sampler and a deadline in a single ppoll(2).
final class EventLoop {
    /// Signals that end a run in order. They are blocked, so that only the descriptor sees them.
    static let endingSignals = [SIGINT, SIGTERM, SIGHUP]

    enum Ready: Hashable {
        case signal(Int32)
        case workerEvents
        case workerEnded
        case samples
    }

    /// Readable while an ending signal waits.
    let signalDescriptor: Int32
    /// Whether a process sent the last signal; a key on the terminal has reached the whole process group.
    private(set) var signalWasSent = false
    var workerEvents: Int32?
    var workerProcess: Int32?
    var samples: Int32?

    /// Blocks the signals in this thread; call it before any other thread exists.
    init(signals watched: [Int32] = endingSignals) throws(Failure) {
        ClosedPipes.areErrors()
        let blocked = chost_block_signals(watched, watched.count)
        if blocked < 0 { throw Failure.of(code: blocked, "signals", "cannot be blocked") }
        signalDescriptor = chost_signalfd(watched, watched.count)
        if signalDescriptor < 0 {
            throw Failure.of(code: signalDescriptor, "signals", "cannot be read from a descriptor")
        }
    }

    deinit { close(signalDescriptor) }

    /// The next ending signal that is pending, if any; does not wait.
    func pendingSignal() -> Int32? {
        var sent: Int32 = 0
        let number = chost_signalfd_take_from(signalDescriptor, &sent)
        guard number > 0 else { return nil }
        signalWasSent = sent != 0
        return number
    }

    /// Waits until something is ready or `deadline` is reached; the empty list means the deadline.
    func wait(until deadline: Instant) throws(Failure) -> [Ready] {
        let watched: [(descriptor: Int32, ready: Ready?)] = [
            (signalDescriptor, nil), (workerEvents ?? -1, .workerEvents), (workerProcess ?? -1, .workerEnded),
            (samples ?? -1, .samples),
        ]
        var polled = watched.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        let left = max(0, (deadline - Clock.now).value)
        let count = chost_ppoll(&polled, polled.count, left)
        if count < 0 { throw Failure.of(code: count, "ppoll", "cannot wait for events") }
        var ready: [Ready] = []
        for (entry, source) in zip(polled, watched) where entry.revents != 0 {
            if let kind = source.ready {
                ready.append(kind)
            } else if let number = pendingSignal() {
                ready.insert(.signal(number), at: 0)
            }
        }
        return ready
    }
}

extension Failure {
    /// A failure of a C call of ours: `code` is the negative errno it returned.
    static func of(code: Int32, _ thing: String, _ cause: String, exit: ExitCode = .failed) -> Failure {
        Failure(
            thing: thing, cause: "\(cause): \(String(cString: strerror(-code)))", errno: -code, exit: exit)
    }
}
