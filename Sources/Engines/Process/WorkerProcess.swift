import Analysis
import CHost
import Glibc
import WorkerProtocol

/// What came from a worker.
public enum Incoming: Sendable, Hashable {
    case event(Event)
    /// A line that is no event.
    case garbage(LineCodec.Garbage)
    /// The worker closed its end, mostly by ending; nothing comes after it.
    /// `torn`: the last line has no line feed and is lost.
    case closed(torn: Bool)
}

/// A running worker: its two pipes, its process and its log. Belongs to one thread.
///
/// The worker is killed when the thread that started it ends, so that thread is the one that measures. A
/// worker that is given up without `finish` is killed and reaped.
public final class WorkerProcess {
    public let launch: WorkerLaunch
    /// Process id, and id of the worker's process group.
    public let pid: Int32
    /// Readable when there is something to `receive`; of no use after `.closed`.
    public let eventDescriptor: Int32
    /// A pidfd: readable once the worker has ended.
    public let processDescriptor: Int32
    let log: WorkerLog
    let outOfMemoryBefore: OutOfMemoryCounters
    let parentResidentBytes: UInt64?
    /// -1 once it is closed.
    var commandDescriptor: Int32
    var ended: WorkerExit?
    /// What teardown read while it waited, for the next `receive`.
    var backlog: [Incoming] = []
    var isClosed = false
    private var lines = LineBuffer()
    private let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// Bytes one `receive` takes at most, so that a worker that never stops writing cannot hold its caller.
    static let receiveBudget = 256 << 10
    /// Room in the event pipe: a parent that waits for a slow disk must not make the worker wait too.
    static let eventPipeBytes: Int32 = 1 << 20
    /// How long a worker may leave a full command pipe unread.
    static let sendPatience = Nanoseconds(Seconds(2))

    init(
        _ launch: WorkerLaunch, _ child: chost_spawned, pipes: WorkerPipes, log: WorkerLog,
        outOfMemoryBefore: OutOfMemoryCounters
    ) {
        self.launch = launch
        self.pid = child.pid
        self.processDescriptor = child.pidfd
        self.eventDescriptor = pipes.takeEventEnd()
        self.commandDescriptor = pipes.takeCommandEnd()
        self.log = log
        self.outOfMemoryBefore = outOfMemoryBefore
        parentResidentBytes = Self.ownPeakResidentBytes()
    }

    deinit {
        if ended == nil { abandon() }
        closeCommands()
        close(eventDescriptor)
        close(processDescriptor)
        readBuffer.deallocate()
    }

    /// Writes a command. Waits for a worker that does not read, but no longer than two seconds.
    /// - Throws: a `Failure` with exit `.engineFailed` when the worker is gone or does not read.
    public func send(_ command: Command) throws(Failure) {
        var rest = LineCodec.encode(command)[...]
        let deadline = Instant(nanoseconds: chost_monotonic_ns()) + Self.sendPatience
        while !rest.isEmpty {
            guard commandDescriptor >= 0 else { throw unsent(command, EPIPE) }
            let written = rest.withUnsafeBytes { chost_write(commandDescriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
                continue
            }
            let error = Int32(-written)
            let left = deadline - Instant(nanoseconds: chost_monotonic_ns())
            guard error == EAGAIN, left > Nanoseconds(0) else { throw unsent(command, error) }
            var waiting = pollfd(fd: commandDescriptor, events: Int16(POLLOUT), revents: 0)
            let ready = chost_ppoll(&waiting, 1, left.value)
            if ready < 0 { throw unsent(command, -ready) }
        }
    }

    private func unsent(_ command: Command, _ error: Int32) -> Failure {
        let cause =
            switch error {
            case EPIPE: "the worker is gone or has closed its command pipe"
            case EAGAIN: "the worker does not read its commands"
            default: systemErrorText(error)
            }
        return Failure(
            thing: launch.name, cause: "cannot send \"\(command.name)\": \(cause)", errno: error,
            remedy: "see the end of its log, \(log.path)", exit: .engineFailed)
    }

    /// Takes what the worker has written so far, in order, and never waits. At most 256 KiB a call, so call
    /// again while the descriptor is readable. Nothing comes after `.closed`.
    public func receive() -> [Incoming] {
        var received = backlog
        backlog.removeAll()
        drain(into: &received)
        return received
    }

    func drain(into received: inout [Incoming]) {
        var budget = Self.receiveBudget
        while budget > 0 && !isClosed {
            let got = read(eventDescriptor, readBuffer.baseAddress, readBuffer.count)
            if got < 0 && errno == EINTR { continue }
            if got < 0 && errno == EAGAIN { return }
            guard got > 0 else {
                isClosed = true
                received.append(.closed(torn: !lines.remainder.isEmpty))
                return
            }
            budget -= got
            take(UnsafeRawBufferPointer(rebasing: readBuffer[..<got]), into: &received)
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer, into received: inout [Incoming]) {
        // What follows a line without end is read, so that the worker does not block, and dropped.
        if lines.overflowed { return }
        for line in lines.append(bytes) {
            do throws(LineCodec.Garbage) {
                received.append(.event(try LineCodec.event(from: line)))
            } catch {
                received.append(.garbage(error))
            }
        }
        if lines.overflowed {
            let excerpt = String(decoding: bytes.prefix(120), as: UTF8.self)
            received.append(
                .garbage(
                    LineCodec.Garbage(
                        cause: "a line of more than \(LineCodec.longestLine) bytes", excerpt: excerpt)))
        }
    }

    /// The end of the worker's standard output and standard error; invalid UTF-8 is replaced.
    /// Untrusted text: `escapedForDisplay` before a terminal.
    public func logTail(bytes: Int) -> String { String(decoding: log.tail(bytes), as: UTF8.self) }

    /// Shortens the log of an ended worker to its last `bytes` bytes when it is longer.
    public func trimLog(to bytes: Int = 1 << 20) throws(Failure) { try log.trim(to: bytes) }

    /// Frees the disk space of all but the last `bytes` of the log while the worker runs; cheap when there is
    /// nothing to free, so it can be called once a second.
    /// - Returns: false when the file system cannot free part of a file.
    public func limitLog(to bytes: Int = 16 << 20) -> Bool { log.limitWhileOpen(to: bytes) }

    func closeCommands() {
        guard commandDescriptor >= 0 else { return }
        close(commandDescriptor)
        commandDescriptor = -1
    }

    private static func ownPeakResidentBytes() -> UInt64? {
        var usage = rusage()
        guard getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return nil }
        return UInt64(exactly: usage.ru_maxrss).map { $0 * 1024 }
    }
}
