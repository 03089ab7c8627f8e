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

// The two clocks cannot be read at once: of a few tries the one that took least time is taken, with the middle of
// the two reads of the one as the moment of the other.
int cpower_wall(const void *unused_device, int32_t unused_item, int64_t *nanoseconds) {
    (void)unused_device;
    (void)unused_item;
    int64_t shortest = INT64_MAX;
    for (int attempt = 0; attempt < 4 && shortest > 20000; attempt++) {
        struct timespec before;
        struct timespec wall;
        struct timespec after;
        if (clock_gettime(CLOCK_MONOTONIC, &before) != 0 || clock_gettime(CLOCK_REALTIME, &wall) != 0 ||
            clock_gettime(CLOCK_MONOTONIC, &after) != 0) {
            return errno;
        }
        int64_t begin = nanoseconds_of(before);
        int64_t took = nanoseconds_of(after) - begin;
        if (took >= shortest) continue;
        shortest = took;
        *nanoseconds = nanoseconds_of(wall) - (begin + took / 2);
    }
    return 0;
}
