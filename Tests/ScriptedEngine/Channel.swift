import CHost
import Glibc
import Synchronization
import WorkerProtocol

/// The event pipe. Only the engine's thread writes to it.
struct EventWriter {
    let descriptor: Int32

    func send(_ event: Event) { write(LineCodec.encode(event)) }

    /// Writes all bytes; a parent that is gone ends the process.
    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { chost_write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 { _exit(3) }
            rest = rest.dropFirst(written)
        }
    }
}

/// The command pipe. Until `go` the engine's thread reads it itself, since a worker makes no thread before;
/// then a reader thread does, so that `stop`, `quit` and the parent's end are seen during a generation.
final class CommandReader: Sendable {
    enum Item: Sendable {
        case command(Command)
        /// Generations are numbered in the order in which they were read.
        case generate(GenerateRequest, number: Int)
        case garbage(LineCodec.Garbage)
    }

    private struct State {
        var lines = LineBuffer()
        var items: [Item] = []
        var generationsRead = 0
        /// Generations up to this number are to be cut.
        var stoppedUpTo = 0
        var ignoresQuit = false
    }

    private let descriptor: Int32
    /// Counts the items that were added.
    private let added: Int32
    private let state = Mutex(State())

    init(descriptor: Int32) {
        self.descriptor = descriptor
        added = chost_eventfd()
        if added < 0 { leave("no eventfd: errno \(-added)") }
    }

    var ignoresQuit: Bool {
        get { state.withLock { $0.ignoresQuit } }
        set { state.withLock { $0.ignoresQuit = newValue } }
    }

    func isStopped(_ generation: Int) -> Bool { state.withLock { $0.stoppedUpTo >= generation } }

    /// Reads on the calling thread until an item is there.
    func readItem() -> Item {
        while true {
            if let item = takeItem() { return item }
            readSome()
        }
    }

    /// Waits for the reader thread to bring an item.
    func awaitItem() -> Item {
        while true {
            if let item = takeItem() { return item }
            var waiting = pollfd(fd: added, events: Int16(POLLIN), revents: 0)
            _ = chost_ppoll(&waiting, 1, -1)
            _ = chost_eventfd_take(added)
        }
    }

    func startThread() {
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { reader in
                guard let reader else { return nil }
                let commands = Unmanaged<CommandReader>.fromOpaque(reader).takeRetainedValue()
                while true { commands.readSome() }
            }, Unmanaged.passRetained(self).toOpaque())
        if result != 0 { leave("no reader thread: errno \(result)") }
    }

    private func takeItem() -> Item? { state.withLock { $0.items.isEmpty ? nil : $0.items.removeFirst() } }

    /// One read; the end of the pipe and `quit` end the process, unless the script forbids it.
    private func readSome() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let got = read(descriptor, &bytes, bytes.count)
        if got < 0 && errno == EINTR { return }
        if got <= 0 {
            if !ignoresQuit { _exit(0) }
            while true { pause() }
        }
        let lines = state.withLock { state in bytes[..<got].withUnsafeBytes { state.lines.append($0) } }
        for line in lines { add(line) }
        _ = chost_eventfd_signal(added)
    }

    private func add(_ line: [UInt8]) {
        let item: Item
        do throws(LineCodec.Garbage) {
            let command = try LineCodec.command(from: line)
            switch command {
            case .quit:
                if !ignoresQuit { _exit(0) }
                return
            case .stop:
                state.withLock { $0.stoppedUpTo = $0.generationsRead }
                return
            case .generate(let request):
                item = .generate(
                    request,
                    number: state.withLock {
                        $0.generationsRead += 1
                        return $0.generationsRead
                    })
            default: item = .command(command)
            }
        } catch {
            item = .garbage(error)
        }
        state.withLock { $0.items.append(item) }
    }
}
