// The processes of a device and what its samples credit them with, for fake_nvml.c alone.
#pragma once

#include "fake_state.h"

#include <unistd.h>

// How many samples the driver of an H200 keeps.
enum { SAMPLES_KEPT = 72 };

struct process {
    uint32_t pid;
    uint64_t memory;
    uint32_t gpu_instance;
    uint32_t compute_instance;
};

struct utilization {
    uint32_t pid;
    uint64_t time_us;
    uint32_t sm, memory, encoder, decoder;
};

// The n-th of the processes that the caller's main thread started and that live, from 1: the engines.
static unsigned child(int number) {
    char path[64];
    unsigned pid = 0;
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    for (int left = number; left > 0; left -= 1) {
        if (fscanf(file, "%u", &pid) != 1) pid = 0;
    }
    (void)fclose(file);
    return pid;
}

// The process that a line begins with, and what follows; 0 for a child that is not there, -1 for no process.
static int64_t process_of(const char *words, const char **rest) {
    char *end = NULL;
    int64_t pid = strtol(words, &end, 10);
    if (strncmp(words, "child", 5) == 0) {
        int is_numbered = words[5] >= '1' && words[5] <= '9';
        end = (char *)words + 5;
        pid = child(is_numbered ? (int)strtol(words + 5, &end, 10) : 1);
    } else if (end == words) {
        pid = -1;
    }
    *rest = end;
    return pid;
}

static int processes(
    const void *device, const char *function, const char *key, uint32_t *count, struct process *list) {
    int code = fault(device, function);
    if (code != SUCCESS) return code;
    char prefix[64];
    char words[128];
    uint32_t found = 0;
    (void)snprintf(prefix, sizeof prefix, "device %d %s", index_of(device), key);
    for (int line = 0; find(prefix, line, words, sizeof words); line += 1) {
        const char *rest = NULL;
        unsigned long long memory = UINT64_MAX;
        int64_t pid = process_of(words, &rest);
        if (pid < 0) return UNKNOWN;
        if (pid == 0) continue;
        (void)sscanf(rest, "%llu", &memory);
        if (found < *count) list[found] = (struct process){(uint32_t)pid, memory, UINT32_MAX, UINT32_MAX};
        found += 1;
    }
    code = found > *count ? INSUFFICIENT_SIZE : SUCCESS;
    *count = found;
    return code;
}

// As the driver of an H200: whoever asks brings room for all that may be kept, and a sample is one that is later.
static int utilization(
    const void *device, struct utilization *samples, uint32_t *count, unsigned long long after_us) {
    struct timespec now = {0};
    char prefix[64];
    char words[128];
    uint32_t lines = 0;
    uint32_t found = 0;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)snprintf(prefix, sizeof prefix, "device %d utilization", index_of(device));
    while (find(prefix, (int)lines, words, sizeof words)) lines += 1;
    uint32_t room = lines < SAMPLES_KEPT ? SAMPLES_KEPT : lines;
    if (samples == NULL || *count < room) {
        *count = room;
        return INSUFFICIENT_SIZE;
    }
    for (uint32_t line = 0; line < lines && find(prefix, (int)line, words, sizeof words); line += 1) {
        const char *rest = NULL;
        int64_t pid = process_of(words, &rest);
        unsigned percent = 0;
        // The newest sample was taken a moment ago.
        unsigned long long time = (unsigned long long)now.tv_sec * 1000000 + (unsigned)now.tv_nsec / 1000;
        if (pid < 0 || sscanf(rest, "%u at %llu", &percent, &time) < 1) return UNKNOWN;
        // What some drivers fill unused places with has no time, and is told always.
        if (pid == 0 || (time != 0 && time <= after_us)) continue;
        samples[found] = (struct utilization){(uint32_t)pid, time, percent, 0, 0, 0};
        found += 1;
    }
    *count = found;
    return found > 0 ? SUCCESS : NOT_FOUND;
}
