// How fast memory can be read here: a probe for the ceiling of decode.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// What is read, by whom and for how long.
typedef struct {
    /// Processor of each thread; a thread that cannot be bound to its own runs where the kernel puts it.
    const int *processors;
    size_t threads;
    /// Bytes of memory read in one repetition by all threads together; rounded down to whole pages a thread.
    uint64_t bytes;
    /// Repetitions begin until so long after the first; there is one at least.
    uint64_t duration_ns;
} chost_bandwidth_request;

/// What a probe saw.
typedef struct {
    /// Bytes that each repetition read.
    uint64_t bytes;
    /// Length of the shortest repetition, from the first thread's start to the last one's end.
    uint64_t best_ns;
    uint64_t repetitions;
} chost_bandwidth_result;

/// A probe that runs in threads of its own, without signals.
typedef struct chost_bandwidth chost_bandwidth;

/// Starts reading. Each thread takes its part of the memory, touches it first, so that it lies near its
/// processor, and adds up its 64-bit words: whole numbers, so that no value is slower than another.
/// \returns 0 and sets `probe`; or -errno with nothing left behind.
int chost_bandwidth_start(const chost_bandwidth_request *request, chost_bandwidth **probe);

/// 1 once `chost_bandwidth_finish` would not wait.
int chost_bandwidth_ended(chost_bandwidth *probe);

/// Ends the probe after the repetition that is running, gives all memory back and frees it.
/// \returns 0 and fills `result`; or -errno, -ENOMEM where the memory could not be had.
int chost_bandwidth_finish(chost_bandwidth *probe, chost_bandwidth_result *result);
