// Clocks as values of a source.
#pragma once

#include <stdint.h>

/// CLOCK_BOOTTIME - CLOCK_MONOTONIC in nanoseconds: it grows by the time that the machine sleeps
/// (clock_gettime(2)). The arguments are not looked at. Returns 0 or errno.
int cpower_slept(const void *unused_device, int32_t unused_item, int64_t *nanoseconds);
