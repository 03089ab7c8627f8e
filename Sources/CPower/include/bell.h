// Wake-ups between threads of one process: a word to sleep on with an absolute deadline, a descriptor for poll.
#pragma once

#include <stdint.h>

/// Adds one to the word and wakes the thread that sleeps on it.
void cpower_bell_ring(uint32_t *bell);

/// The word now. Take it before looking for work: a ring after that makes `cpower_bell_wait` return at once.
uint32_t cpower_bell_seen(const uint32_t *bell);

/// Sleeps while the word equals `seen`, until CLOCK_MONOTONIC reaches `deadline_ns` (negative: no deadline).
/// Returns 0 when rung, ETIMEDOUT at the deadline, else errno. May return 0 early: look again.
/// futex(2), FUTEX_WAIT_BITSET: unlike FUTEX_WAIT its timeout is absolute, so that lateness does not add up.
int cpower_bell_wait(const uint32_t *bell, uint32_t seen, int64_t deadline_ns);

/// Makes an eventfd(2), non-blocking and closed on exec. Returns the descriptor, or -errno.
int cpower_event_open(void);

/// Makes the descriptor readable. Returns 0 or errno; EAGAIN cannot matter, it is readable then.
int cpower_event_raise(int descriptor);

/// Makes the descriptor unreadable again. Returns 0 or errno; EAGAIN: it was not readable.
int cpower_event_clear(int descriptor);
