import Analysis
import Glibc

/// The thread of a meter, with all signals blocked.
final class MeterThread: Sendable {
    private let core: MeterCore
    private let handle: Locked<pthread_t?>

    init(_ core: MeterCore) throws(Failure) {
        self.core = core
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // The thread inherits the mask: no signal of the program may ever be delivered to it.
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var made = pthread_t()
        let argument = Unmanaged.passRetained(core)
        let error = pthread_create(
            &made, nil,
            { raw in
                guard let raw else { return nil }
                Unmanaged<MeterCore>.fromOpaque(raw).takeRetainedValue().run()
                return nil
            }, argument.toOpaque())
        guard error == 0 else {
            argument.release()
            throw Failure(thing: "meter thread", cause: errnoText(error), errno: error)
        }
        handle = Locked(made)
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
