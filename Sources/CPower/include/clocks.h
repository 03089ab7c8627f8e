// Clocks as values of a source.
#pragma once

#include <stdint.h>

/// CLOCK_BOOTTIME - CLOCK_MONOTONIC in nanoseconds: it grows by the time that the machine sleeps
/// (clock_gettime(2)). The arguments are not looked at. Returns 0 or errno.
int cpower_slept(const void *unused_device, int32_t unused_item, int64_t *nanoseconds);

/// CLOCK_REALTIME - CLOCK_MONOTONIC in nanoseconds: it changes by what the wall clock is set, and grows while the
/// machine sleeps; slewing (adjtimex(2)) moves both clocks alike. The arguments are not looked at. Returns 0 or errno.
int cpower_wall(const void *unused_device, int32_t unused_item, int64_t *nanoseconds);
