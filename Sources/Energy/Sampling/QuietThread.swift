import Analysis
import Glibc

/// What a thread is to do, held until it begins.
private final class ThreadBody {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Starts a thread in which all signals are blocked: no signal of the program may ever be delivered to it.
///
/// - Parameter name: of the thread, for the failure.
/// - Returns: the thread; the caller joins it.
func startQuietThread(
    _ name: String, _ run: @escaping @Sendable () -> Void
) throws(Failure) -> pthread_t {
    // The thread inherits the mask.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

    var handle = pthread_t()
    let argument = Unmanaged.passRetained(ThreadBody(run))
    let error = pthread_create(
        &handle, nil,
        { raw in
            guard let raw else { return nil }
            Unmanaged<ThreadBody>.fromOpaque(raw).takeRetainedValue().run()
            return nil
        }, argument.toOpaque())
    guard error == 0 else {
        argument.release()
        throw Failure(thing: name, cause: errnoText(error), errno: error)
    }
    return handle
}
