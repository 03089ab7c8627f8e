import Glibc
import Synchronization

/// A process that works on two threads once it is told to, made before or after it says that it is ready.
final class TwoThreads: Sendable {
    private let seconds: Double
    private let isAllowed = Atomic<Bool>(false)

    init(seconds: Double) { self.seconds = seconds }

    /// Writes "ready", reads a byte, works, and prints the CPU seconds that the kernel accounted meanwhile.
    func run(early: Bool) {
        var threads = early ? start() : []
        print("ready")
        fflush(nil)
        let before = Self.now(CLOCK_PROCESS_CPUTIME_ID)
        var byte: UInt8 = 0
        guard read(STDIN_FILENO, &byte, 1) == 1 else { exit(1) }
        isAllowed.store(true, ordering: .releasing)
        if !early { threads = start() }
        for thread in threads { pthread_join(thread, nil) }
        print(Self.now(CLOCK_PROCESS_CPUTIME_ID) - before)
    }

    private func start() -> [pthread_t] {
        (0..<2).map { _ in
            var thread = pthread_t()
            let error = pthread_create(
                &thread, nil,
                { raw in
                    guard let raw else { return nil }
                    Unmanaged<TwoThreads>.fromOpaque(raw).takeRetainedValue().work()
                    return nil
                }, Unmanaged.passRetained(self).toOpaque())
            guard error == 0 else { exit(1) }
            return thread
        }
    }

    /// So much of the thread's own CPU time, however busy the machine is.
    private func work() {
        while !isAllowed.load(ordering: .acquiring) { usleep(1000) }
        while Self.now(CLOCK_THREAD_CPUTIME_ID) < seconds {}
    }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { exit(1) }
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
