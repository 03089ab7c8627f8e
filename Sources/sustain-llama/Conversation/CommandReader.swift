import Glibc
import Synchronization
import WorkerProtocol

/// Commands from sustain: read by the caller until `go`, by a thread of its own after it, so that a `stop`
/// and the end of the parent are seen while a generation runs and cost it nothing.
final class CommandReader: Sendable {
    enum Entry: Sendable {
        /// `number` counts the commands; `isStopped` takes it.
        case command(Command, number: UInt64)
        case garbage(LineCodec.Garbage)
        /// Nothing can be read any more: an error of the descriptor, or a line without end.
        case broken(String)
    }

    private struct State {
        var lines = LineBuffer()
        var queue: [Entry] = []
        var received: UInt64 = 0
    }

    private let descriptor: Int32
    private let state = Mutex(State())
    /// Counts the entries that a waiting caller may take; made to be shared between threads.
    nonisolated(unsafe) private let pending: UnsafeMutablePointer<sem_t>
    /// Number of the last command that a `stop` was meant for.
    private let stoppedThrough = Atomic<UInt64>(0)

    init(descriptor: Int32) {
        self.descriptor = descriptor
        pending = .allocate(capacity: 1)
        // Fails only for a count over SEM_VALUE_MAX. (sem_init(3))
        sem_init(pending, 0, 0)
    }

    /// The next entry while no thread may be made: reads the descriptor itself.
    func readInPlace() -> Entry {
        while true {
            if let entry = take() { return entry }
            _ = receive()
        }
    }

    /// The next entry once the thread reads.
    func wait() -> Entry {
        while true {
            // An interrupted wait looks at the queue once too often, which does no harm.
            sem_wait(pending)
            if let entry = take() { return entry }
        }
    }

    /// True once a `stop` came after the command of this number.
    func isStopped(_ number: UInt64) -> Bool { stoppedThrough.load(ordering: .relaxed) >= number }

    /// Starts the thread that reads from now on; 0 or an errno.
    func startThread() -> Int32 {
        var thread = pthread_t()
        let reader = Unmanaged.passRetained(self)
        return pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let reader = Unmanaged<CommandReader>.fromOpaque(argument).takeRetainedValue()
                while reader.receive() {}
                return nil
            }, reader.toOpaque())
    }

    private func take() -> Entry? {
        state.withLock { $0.queue.isEmpty ? nil : $0.queue.removeFirst() }
    }

    /// Reads once and queues what came; false when there is nothing more to read. The end of the commands
    /// is the end of the parent, and of this process.
    private func receive() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { bytes in
            let got = read(descriptor, bytes.baseAddress, bytes.count)
            if got == 0 { _exit(ExitCode.done) }
            if got < 0 {
                if errno == EINTR { return true }
                queue([.broken("reading commands: \(String(cString: strerror(errno)))")])
                return false
            }
            let (lines, overflowed) = state.withLock {
                ($0.lines.append(UnsafeRawBufferPointer(rebasing: bytes[..<got])), $0.lines.overflowed)
            }
            var entries = lines.compactMap(entry(of:))
            if overflowed { entries.append(.broken("a command of over \(LineCodec.longestLine) bytes")) }
            queue(entries)
            return !overflowed
        }
    }

    /// What a line stands for in the queue; nil for `stop`, which takes effect at once.
    private func entry(of line: [UInt8]) -> Entry? {
        do throws(LineCodec.Garbage) {
            let command = try LineCodec.command(from: line)
            if case .stop = command {
                stoppedThrough.store(state.withLock { $0.received }, ordering: .relaxed)
                return nil
            }
            return .command(
                command,
                number: state.withLock { state in
                    state.received += 1
                    return state.received
                })
        } catch {
            return .garbage(error)
        }
    }

    private func queue(_ entries: [Entry]) {
        state.withLock { $0.queue.append(contentsOf: entries) }
        for _ in entries { sem_post(pending) }
    }
}
