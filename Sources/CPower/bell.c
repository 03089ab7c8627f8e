#include "bell.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void cpower_bell_ring(uint32_t *bell) {
    __atomic_fetch_add(bell, 1, __ATOMIC_SEQ_CST);
    // It cannot fail on a word of ours, and nothing could be done about it: the sleeper's deadline remains.
    (void)syscall(SYS_futex, bell, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

uint32_t cpower_bell_seen(const uint32_t *bell) { return __atomic_load_n(bell, __ATOMIC_SEQ_CST); }

int cpower_bell_wait(const uint32_t *bell, uint32_t seen, int64_t deadline_ns) {
    struct timespec deadline = {
        .tv_sec = deadline_ns / 1000000000,
        .tv_nsec = deadline_ns % 1000000000,
    };
    long result = syscall(
        SYS_futex, bell, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, seen, deadline_ns < 0 ? NULL : &deadline,
        NULL, FUTEX_BITSET_MATCH_ANY);
    if (result == 0) return 0;
    // EAGAIN: rung before the sleep began. EINTR: a signal; to the caller both are "look again".
    return errno == EAGAIN || errno == EINTR ? 0 : errno;
}

int cpower_event_open(void) {
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return descriptor < 0 ? -errno : descriptor;
}

int cpower_event_raise(int descriptor) { return eventfd_write(descriptor, 1) == 0 ? 0 : errno; }

int cpower_event_clear(int descriptor) {
    eventfd_t count = 0;
    return eventfd_read(descriptor, &count) == 0 ? 0 : errno;
}
