// A library that answers as NVIDIA's libnvidia-ml.so.1 does, out of a small text file (README.md).
#include "fake_processes.h"
#include "fake_state.h"

#include <unistd.h>

enum { FIELD_AVERAGE = 185, FIELD_INSTANT = 186, TYPE_UNSIGNED_INT = 1 };

struct pci {
    char legacy[16];
    uint32_t numbers[5];
    char id[32];
};

struct memory {
    uint64_t total, free, used;
};

struct field {
    uint32_t id, scope;
    int64_t timestamp, latency;
    uint32_t type;
    int32_t result;
    union {
        uint32_t number;
        uint64_t wide;
    } value;
};

static int power_field(const void *device, uint32_t id, uint32_t scope, uint32_t *milliwatts) {
    const char *name = id == FIELD_INSTANT ? "NVML_FI_DEV_POWER_INSTANT" : "NVML_FI_DEV_POWER_AVERAGE";
    int code = fault(device, name);
    if (code != SUCCESS) return code;
    double watts = 0;
    double before = 0;
    if (scope == 1) {
        code = number(device, "module_watts", &watts);
    } else if (number(device, id == FIELD_INSTANT ? "instant_watts" : "average_watts", &watts) != SUCCESS) {
        double now = step_time(device);
        double joules = joules_until(device, now, &watts);
        if (id == FIELD_AVERAGE) watts = joules - joules_until(device, now - 1, &before);
    }
    *milliwatts = (uint32_t)(watts * 1000 + 0.5);
    return code;
}

static int text(const void *device, const char *function, const char *key, char *into, uint32_t capacity) {
    int code = fault(device, function);
    if (code != SUCCESS) return code;
    return told(device, key, into, capacity) ? SUCCESS : NOT_SUPPORTED;
}

static int whole(const void *device, const char *function, const char *key, unsigned *into) {
    int code = fault(device, function);
    double value = 0;
    if (code == SUCCESS) code = number(device, key, &value);
    *into = (unsigned)value;
    return code;
}

int nvmlInit_v2(void) {
    char words[8];
    // As a driver whose device does not answer: no signal ends it that is blocked.
    while (find("hang nvmlInit_v2", 0, words, sizeof words)) (void)pause();
    return fault(NULL, "nvmlInit_v2");
}

const char *nvmlErrorString(int code) {
    switch (code) {
    case 0: return "Success";
    case 3: return "Not Supported";
    case 4: return "Insufficient Permissions";
    case 9: return "Driver Not Loaded";
    case 15: return "GPU is lost";
    case 18: return "Driver/library version mismatch";
    default: return "Unknown Error";
    }
}

int nvmlSystemGetDriverVersion(char *into, uint32_t capacity) {
    int code = fault(NULL, "nvmlSystemGetDriverVersion");
    if (code != SUCCESS) return code;
    return find("driver", 0, into, capacity) ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetCount_v2(uint32_t *count) {
    char words[32];
    *count = find("count", 0, words, sizeof words) ? (uint32_t)atoi(words) : 0;
    return fault(NULL, "nvmlDeviceGetCount_v2");
}

int nvmlDeviceGetHandleByIndex_v2(uint32_t index, const void **device) {
    *device = (const void *)(intptr_t)(index + 1);
    return fault(*device, "nvmlDeviceGetHandleByIndex_v2");
}

int nvmlDeviceGetUUID(const void *device, char *into, uint32_t capacity) {
    return text(device, "nvmlDeviceGetUUID", "uuid", into, capacity);
}

int nvmlDeviceGetName(const void *device, char *into, uint32_t capacity) {
    return text(device, "nvmlDeviceGetName", "name", into, capacity);
}

int nvmlDeviceGetVbiosVersion(const void *device, char *into, uint32_t capacity) {
    return text(device, "nvmlDeviceGetVbiosVersion", "vbios", into, capacity);
}

int nvmlDeviceGetPciInfo_v3(const void *device, struct pci *pci) {
    return text(device, "nvmlDeviceGetPciInfo_v3", "pci", pci->id, sizeof pci->id);
}

int nvmlDeviceGetTotalEnergyConsumption(const void *device, unsigned long long *millijoules) {
    int code = fault(device, "nvmlDeviceGetTotalEnergyConsumption");
    char words[32];
    double watts = 0;
    if (code == SUCCESS && told(device, "energy_mj", words, sizeof words)) {
        *millijoules = strtoull(words, NULL, 10);
    } else {
        *millijoules = (unsigned long long)(joules_until(device, step_time(device), &watts) * 1000);
    }
    return code;
}

int nvmlDeviceGetPowerUsage(const void *device, uint32_t *milliwatts) {
    int code = fault(device, "nvmlDeviceGetPowerUsage");
    double watts = 0;
    if (number(device, "usage_watts", &watts) != SUCCESS) (void)joules_until(device, step_time(device), &watts);
    *milliwatts = (uint32_t)(watts * 1000 + 0.5);
    return code;
}

int nvmlDeviceGetFieldValues(const void *device, int count, struct field *fields) {
    int code = fault(device, "nvmlDeviceGetFieldValues");
    for (int index = 0; code == SUCCESS && index < count; index += 1) {
        struct field *field = &fields[index];
        field->type = TYPE_UNSIGNED_INT;
        field->result = NOT_SUPPORTED;
        if (field->id != FIELD_AVERAGE && field->id != FIELD_INSTANT) continue;
        field->result = power_field(device, field->id, field->scope, &field->value.number);
    }
    return code;
}

int nvmlDeviceGetTemperature(const void *device, uint32_t sensor, uint32_t *degrees) {
    (void)sensor;
    return whole(device, "nvmlDeviceGetTemperature", "temperature", degrees);
}

int nvmlDeviceGetClockInfo(const void *device, uint32_t kind, uint32_t *megahertz) {
    return whole(device, "nvmlDeviceGetClockInfo", kind == 1 ? "clock_sm" : "clock_memory", megahertz);
}

int nvmlDeviceGetCurrentClocksEventReasons(const void *device, unsigned long long *reasons) {
    unsigned bits = 0;
    int code = whole(device, "nvmlDeviceGetCurrentClocksEventReasons", "reasons", &bits);
    *reasons = bits;
    return code;
}

// The older name of the same question.
int nvmlDeviceGetCurrentClocksThrottleReasons(const void *device, unsigned long long *reasons) {
    unsigned bits = 0;
    int code = whole(device, "nvmlDeviceGetCurrentClocksThrottleReasons", "reasons", &bits);
    *reasons = bits;
    return code;
}

int nvmlDeviceGetMemoryInfo(const void *device, struct memory *memory) {
    int code = fault(device, "nvmlDeviceGetMemoryInfo");
    double used = 0;
    double rest = 0;
    if (code == SUCCESS) code = number(device, "memory", &used);
    // An H200 has so much.
    double total = 150754820096.0;
    if (number(device, "memory_free", &rest) != SUCCESS) rest = total - used;
    memory->used = (uint64_t)used;
    memory->free = (uint64_t)rest;
    memory->total = (uint64_t)(used + rest);
    return code;
}

int nvmlDeviceGetPowerManagementLimit(const void *device, uint32_t *milliwatts) {
    return whole(device, "nvmlDeviceGetPowerManagementLimit", "limit_mw", milliwatts);
}

int nvmlDeviceGetPowerManagementDefaultLimit(const void *device, uint32_t *milliwatts) {
    return whole(device, "nvmlDeviceGetPowerManagementDefaultLimit", "default_limit_mw", milliwatts);
}

int nvmlDeviceGetMigMode(const void *device, uint32_t *current, uint32_t *pending) {
    *pending = 0;
    return whole(device, "nvmlDeviceGetMigMode", "mig", current);
}

int nvmlDeviceGetCudaComputeCapability(const void *device, int *major, int *minor) {
    unsigned capability = 0;
    int code = whole(device, "nvmlDeviceGetCudaComputeCapability", "capability", &capability);
    *major = (int)capability / 10;
    *minor = (int)capability % 10;
    return code;
}

int nvmlDeviceGetComputeRunningProcesses_v3(const void *device, uint32_t *count, struct process *list) {
    return processes(device, "nvmlDeviceGetComputeRunningProcesses_v3", "process", count, list);
}

int nvmlDeviceGetProcessUtilization(
    const void *device, struct utilization *samples, uint32_t *count, unsigned long long after_us) {
    int code = fault(device, "nvmlDeviceGetProcessUtilization");
    return code == SUCCESS ? utilization(device, samples, count, after_us) : code;
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(const void *device, uint32_t *count, struct process *list) {
    return processes(device, "nvmlDeviceGetGraphicsRunningProcesses_v3", "graphics", count, list);
}

int nvmlDeviceGetMPSComputeRunningProcesses_v3(const void *device, uint32_t *count, struct process *list) {
    return processes(device, "nvmlDeviceGetMPSComputeRunningProcesses_v3", "mps", count, list);
}
