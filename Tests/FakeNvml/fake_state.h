// What the state file (README.md) says of the devices, for fake_nvml.c alone.
//
// The file is read afresh by every call, so that a test changes a device by replacing the file.
#pragma once

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, UNKNOWN = 999 };

static FILE *state(void) {
    const char *named = getenv("FAKE_NVML_STATE");
    if (named != NULL) return fopen(named, "re");
    Dl_info self;
    char path[4096];
    if (dladdr((void *)state, &self) == 0 || self.dli_fname == NULL) return NULL;
    if (snprintf(path, sizeof path, "%s.state", self.dli_fname) >= (int)sizeof path) return NULL;
    return fopen(path, "re");
}

// The words after `prefix` in the n-th line that begins with it; 0 when there is none.
static int find(const char *prefix, int n, char *words, size_t capacity) {
    FILE *file = state();
    if (file == NULL) return 0;
    char line[512];
    size_t length = strlen(prefix);
    int found = 0;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, prefix, length) != 0 || (line[length] != ' ' && line[length] != '\0')) continue;
        if (n-- > 0) continue;
        (void)snprintf(words, capacity, "%s", line[length] == ' ' ? line + length + 1 : "");
        found = 1;
    }
    (void)fclose(file);
    return found;
}

static int index_of(const void *device) { return (int)(intptr_t)device - 1; }

static int told(const void *device, const char *key, char *words, size_t capacity) {
    char prefix[128];
    (void)snprintf(prefix, sizeof prefix, "device %d %s", index_of(device), key);
    return find(prefix, 0, words, capacity);
}

static int number(const void *device, const char *key, double *value) {
    char words[64];
    if (!told(device, key, words, sizeof words)) return NOT_SUPPORTED;
    *value = strtod(words, NULL);
    return SUCCESS;
}

// The error that the file asks for, of a device or (NULL) of the library.
static int fault(const void *device, const char *function) {
    char prefix[160];
    char words[32];
    if (device == NULL) {
        (void)snprintf(prefix, sizeof prefix, "error %s", function);
    } else {
        (void)snprintf(prefix, sizeof prefix, "device %d error %s", index_of(device), function);
    }
    if (find(prefix, 0, words, sizeof words)) return atoi(words);
    return device != NULL && told(device, "lost", words, sizeof words) ? 15 : SUCCESS;
}

static double monotonic(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// The end of the device's last step: between two steps nothing changes.
static double step_time(const void *device) {
    double step = 100;
    (void)number(device, "step_ms", &step);
    double now = monotonic();
    return step > 0 ? (double)(long long)(now * 1000 / step) * step / 1000 : now;
}

// Joules from the clock's 0 to a time: `watts`, then by lines "WATTS T_NS" of the file that `phases` names.
static double joules_until(const void *device, double time, double *power) {
    double watts = 0;
    double since = 0;
    double joules = 0;
    (void)number(device, "watts", &watts);
    char path[512];
    FILE *file = told(device, "phases", path, sizeof path) ? fopen(path, "re") : NULL;
    double next = 0;
    double stamp = 0;
    while (file != NULL && fscanf(file, "%lf %lf", &next, &stamp) == 2 && stamp * 1e-9 <= time) {
        joules += watts * (stamp * 1e-9 - since);
        since = stamp * 1e-9;
        watts = next;
    }
    if (file != NULL) (void)fclose(file);
    *power = watts;
    return joules + watts * (time - since);
}
