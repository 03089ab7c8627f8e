#include "perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

int cpower_perf_open(const struct cpower_perf_event *event, pid_t pid, int cpu) {
    struct perf_event_attr attributes = {
        .type = event->type,
        .size = sizeof attributes,
        .config = event->config,
        .inherit = event->inherit,
        .exclude_kernel = event->exclude_kernel,
        .read_format =
            event->times ? PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING : 0,
    };
    // The C library has no function for it.
    long descriptor = syscall(SYS_perf_event_open, &attributes, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    return descriptor < 0 ? -errno : (int)descriptor;
}

ssize_t cpower_perf_read(int descriptor, char *buffer, size_t capacity) {
    ssize_t length;
    do {
        // These descriptors have no offset: pread(2) is refused.
        length = read(descriptor, buffer, capacity);
    } while (length < 0 && errno == EINTR);
    return length < 0 ? -errno : length;
}
