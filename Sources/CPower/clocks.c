#include "clocks.h"

#include <errno.h>
#include <time.h>

static int64_t nanoseconds_of(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int cpower_slept(const void *unused_device, int32_t unused_item, int64_t *nanoseconds) {
    (void)unused_device;
    (void)unused_item;
    struct timespec running;
    struct timespec whole;
    if (clock_gettime(CLOCK_MONOTONIC, &running) != 0 || clock_gettime(CLOCK_BOOTTIME, &whole) != 0) {
        return errno;
    }
    *nanoseconds = nanoseconds_of(whole) - nanoseconds_of(running);
    return 0;
}
