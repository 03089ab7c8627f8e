import Glibc

/// Clocks as plain nanoseconds, for arithmetic without allocation.
enum Clock {
    /// CLOCK_MONOTONIC.
    static func monotonic() -> UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

    /// CLOCK_BOOTTIME - CLOCK_MONOTONIC: grows while the machine sleeps.
    static func slept() -> Int64 {
        Int64(bitPattern: nanoseconds(of: CLOCK_BOOTTIME)) &- Int64(bitPattern: monotonic())
    }

    /// A clock of clock_gettime(2). The ids used here exist on every Linux, so that the call cannot fail;
    /// if it did, the clock would stand at 0.
    static func nanoseconds(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
