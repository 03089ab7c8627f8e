import Glibc

/// A value behind a pthread mutex.
///
/// Not `Synchronization.Mutex`: on Linux the thread sanitizer does not see that lock and reports every use of the
/// value as a race, in the programs that import this library too.
///
/// Unchecked Sendable: `value` is touched between lock and unlock only.
final class Locked<Value>: @unchecked Sendable {
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        // A default mutex needs no memory and cannot fail (pthread_mutex_init(3)).
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Not to be nested.
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
