// Counters of the kernel's perf_event interface: opened by numbers, read by read(2).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// What to count (perf_event_open(2), struct perf_event_attr).
struct cpower_perf_event {
    uint32_t type;
    uint64_t config;
    /// Threads and children that the process makes from now on count too; those it has already do not.
    bool inherit;
    /// User mode only.
    bool exclude_kernel;
    /// A read gives the times enabled and running as well, in ns: words 1 and 2 after the value.
    bool times;
};

/// Opens a counter that starts at once: of a process on any processor (`cpu` -1), or of a processor whatever
/// runs there (`pid` -1). Closed on exec. Returns the descriptor, or -errno.
int cpower_perf_open(const struct cpower_perf_event *event, pid_t pid, int cpu);

/// Reads the counter: 64-bit words of the machine's byte order, for `cpower_field_word`.
/// Returns the number of bytes, 0 for an event that the kernel has given up, or -errno.
ssize_t cpower_perf_read(int descriptor, char *buffer, size_t capacity);

/// Finds `type` and `config` of an event by name through libpfm4, which is looked for by dlopen and may be
/// absent. It knows the PMUs under /sys alone.
/// Returns 0; ELIBACC when there is no such library (or it lacks a function); ENOENT when it does not know
/// the event on this machine.
int cpower_perf_encode(const char *name, struct cpower_perf_event *event);
