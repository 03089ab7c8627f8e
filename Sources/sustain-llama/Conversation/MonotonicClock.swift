import Glibc

/// The clock of every stamp in the protocol.
enum MonotonicClock {
    /// CLOCK_MONOTONIC in nanoseconds. The call cannot fail for this clock. (clock_gettime(2))
    @inline(__always)
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
