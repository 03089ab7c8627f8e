import Analysis
import Glibc

/// The thread of a meter, with all signals blocked.
final class MeterThread: Sendable {
    private let core: MeterCore
    private let handle: Locked<pthread_t?>

    init(_ core: MeterCore) throws(Failure) {
        self.core = core
        handle = Locked(try startQuietThread("meter thread") { core.run() })
    }

    /// Ends the thread and waits for it; only the first call does anything.
    func end() {
        core.endThread()
        let running = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let running { pthread_join(running, nil) }
    }
}
