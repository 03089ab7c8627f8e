// The part of NVML's binary interface that is used here: written from NVIDIA's "NVML API Reference Guide"
// (docs.nvidia.com/deploy/nvml-api), which fixes numbers and layouts for all drivers since 2016.
#pragma once

#include "nvml_access.h"

#include <stddef.h>
#include <stdint.h>

typedef struct nvml_device *nvml_handle;

/// nvmlPciInfo_t as nvmlDeviceGetPciInfo_v3 fills it.
struct nvml_pci {
    char bus_id_legacy[16];
    uint32_t domain;
    uint32_t bus;
    uint32_t device;
    uint32_t pci_device_id;
    uint32_t pci_subsystem_id;
    char bus_id[32];
};

/// nvmlMemory_t.
struct nvml_memory {
    uint64_t total;
    uint64_t free;
    uint64_t used;
};

/// nvmlFieldValue_t: `value` is a union, told by `value_type`, and valid only where `result` is 0.
struct nvml_field {
    uint32_t field;
    uint32_t scope;
    int64_t timestamp_us;
    int64_t latency_us;
    uint32_t value_type;
    int32_t result;
    union {
        double real;
        int32_t signed_int;
        uint32_t unsigned_int;
        unsigned long unsigned_long;
        uint64_t unsigned_long_long;
        int64_t signed_long_long;
        uint16_t unsigned_short;
    } value;
};

_Static_assert(sizeof(struct nvml_pci) == 68, "nvmlPciInfo_t has 68 bytes");
_Static_assert(sizeof(struct nvml_field) == 40, "nvmlFieldValue_t has 40 bytes");
_Static_assert(sizeof(struct cpower_nvml_process) == 24, "nvmlProcessInfo_v2_t has 24 bytes");
_Static_assert(sizeof(struct cpower_nvml_utilization) == 32, "nvmlProcessUtilizationSample_t has 32 bytes");

enum {
    NVML_INVALID_ARGUMENT = 2,
    NVML_FIELD_POWER_AVERAGE = 185,
    NVML_FIELD_POWER_INSTANT = 186,
    NVML_SCOPE_GPU = 0,
    NVML_SCOPE_MODULE = 1,
    NVML_SENSOR_GPU = 0,
    NVML_CLOCK_SM = 1,
    NVML_CLOCK_MEM = 2,
    NVML_MOST_DEVICES = 64,
};

/// nvmlValueType_t.
enum {
    NVML_TYPE_DOUBLE = 0,
    NVML_TYPE_UNSIGNED_INT = 1,
    NVML_TYPE_UNSIGNED_LONG = 2,
    NVML_TYPE_UNSIGNED_LONG_LONG = 3,
    NVML_TYPE_SIGNED_LONG_LONG = 4,
    NVML_TYPE_SIGNED_INT = 5,
    NVML_TYPE_UNSIGNED_SHORT = 6,
};

/// What `cpower_nvml_device` gives out: all that a read needs, in one pointer.
struct nvml_bound_device {
    const struct cpower_nvml *library;
    nvml_handle handle;
};

/// Functions beyond the first three are NULL where the driver is too old to have them.
struct cpower_nvml {
    struct cpower_nvml *next;
    char *path;
    int (*init)(void);
    int (*count)(uint32_t *count);
    int (*handle)(uint32_t index, nvml_handle *handle);
    const char *(*error_text)(int code);
    int (*driver)(char *text, uint32_t capacity);
    int (*uuid)(nvml_handle device, char *text, uint32_t capacity);
    int (*name)(nvml_handle device, char *text, uint32_t capacity);
    int (*vbios)(nvml_handle device, char *text, uint32_t capacity);
    int (*pci)(nvml_handle device, struct nvml_pci *pci);
    int (*energy)(nvml_handle device, unsigned long long *millijoules);
    int (*power)(nvml_handle device, uint32_t *milliwatts);
    int (*power_limit)(nvml_handle device, uint32_t *milliwatts);
    int (*power_default_limit)(nvml_handle device, uint32_t *milliwatts);
    int (*fields)(nvml_handle device, int count, struct nvml_field *fields);
    int (*temperature)(nvml_handle device, uint32_t sensor, uint32_t *degrees);
    int (*clock)(nvml_handle device, uint32_t kind, uint32_t *megahertz);
    int (*throttle_reasons)(nvml_handle device, unsigned long long *reasons);
    int (*memory)(nvml_handle device, struct nvml_memory *memory);
    int (*mig_mode)(nvml_handle device, uint32_t *current, uint32_t *pending);
    int (*capability)(nvml_handle device, int *major, int *minor);
    /// By CPOWER_NVML_COMPUTING and its like.
    int (*processes[CPOWER_NVML_PROCESS_KINDS])(
        nvml_handle device, uint32_t *count, struct cpower_nvml_process *processes);
    int (*utilization)(
        nvml_handle device, struct cpower_nvml_utilization *samples, uint32_t *count,
        unsigned long long after_us);
    /// Filled under the lock of nvml_library.c.
    struct nvml_bound_device devices[NVML_MOST_DEVICES];
};
