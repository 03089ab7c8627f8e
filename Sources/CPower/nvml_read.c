#include "nvml_abi.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

int cpower_nvml_errno(int code) {
    switch (code) {
    case 0: return 0;
    case 2: return EINVAL;
    case 3: return ENOTSUP;
    case 4: return EACCES;
    case 6:
    case 28: return ENODEV;
    case 7: return ENOBUFS;
    case 9: return ENXIO;
    case 10: return ETIMEDOUT;
    case 12: return ENOENT;
    case 13: return ENOSYS;
    case 18: return ELIBBAD;
    case 20: return ENOMEM;
    case 21: return ENODATA;
    case 27: return EAGAIN;
    default: return EIO;
    }
}

static int field_number(const struct nvml_field *field, int64_t *value) {
    switch (field->value_type) {
    case NVML_TYPE_DOUBLE:
        if (!(fabs(field->value.real) < 9e18)) return ERANGE;
        *value = llround(field->value.real);
        return 0;
    case NVML_TYPE_UNSIGNED_INT: *value = field->value.unsigned_int; return 0;
    case NVML_TYPE_UNSIGNED_LONG:
        if (field->value.unsigned_long > INT64_MAX) return ERANGE;
        *value = (int64_t)field->value.unsigned_long;
        return 0;
    case NVML_TYPE_UNSIGNED_LONG_LONG:
        if (field->value.unsigned_long_long > INT64_MAX) return ERANGE;
        *value = (int64_t)field->value.unsigned_long_long;
        return 0;
    case NVML_TYPE_SIGNED_LONG_LONG: *value = field->value.signed_long_long; return 0;
    case NVML_TYPE_SIGNED_INT: *value = field->value.signed_int; return 0;
    case NVML_TYPE_UNSIGNED_SHORT: *value = field->value.unsigned_short; return 0;
    default: return EBADMSG;
    }
}

static int settle(int code, unsigned long long number, int64_t *value) {
    if (code != 0) return cpower_nvml_errno(code);
    if (number > INT64_MAX) return ERANGE;
    *value = (int64_t)number;
    return 0;
}

typedef const struct nvml_bound_device *bound_device;

static int read_long(
    bound_device device, int (*call)(nvml_handle, unsigned long long *), int64_t *value, int *code) {
    unsigned long long number = 0;
    *code = call != NULL ? call(device->handle, &number) : CPOWER_NVML_FUNCTION_NOT_FOUND;
    return settle(*code, number, value);
}

static int read_int(bound_device device, int (*call)(nvml_handle, uint32_t *), int64_t *value, int *code) {
    uint32_t number = 0;
    *code = call != NULL ? call(device->handle, &number) : CPOWER_NVML_FUNCTION_NOT_FOUND;
    return settle(*code, number, value);
}

static int read_int_of(
    bound_device device, int (*call)(nvml_handle, uint32_t, uint32_t *), uint32_t which, int64_t *value,
    int *code) {
    uint32_t number = 0;
    *code = call != NULL ? call(device->handle, which, &number) : CPOWER_NVML_FUNCTION_NOT_FOUND;
    return settle(*code, number, value);
}

static int read_memory(bound_device device, int32_t item, int64_t *value, int *code) {
    struct nvml_memory memory = {0};
    int (*call)(nvml_handle, struct nvml_memory *) = device->library->memory;
    *code = call != NULL ? call(device->handle, &memory) : CPOWER_NVML_FUNCTION_NOT_FOUND;
    return settle(*code, item == CPOWER_NVML_MEMORY_FREE ? memory.free : memory.used, value);
}

static int read_mig_mode(bound_device device, int64_t *value, int *code) {
    uint32_t current = 0;
    uint32_t pending = 0;
    int (*call)(nvml_handle, uint32_t *, uint32_t *) = device->library->mig_mode;
    *code = call != NULL ? call(device->handle, &current, &pending) : CPOWER_NVML_FUNCTION_NOT_FOUND;
    return settle(*code, current, value);
}

static int read_capability(bound_device device, int64_t *value, int *code) {
    int major = 0;
    int minor = 0;
    int (*call)(nvml_handle, int *, int *) = device->library->capability;
    *code = call != NULL ? call(device->handle, &major, &minor) : CPOWER_NVML_FUNCTION_NOT_FOUND;
    return settle(*code, (uint32_t)(major * 10 + minor), value);
}

static int read_field(bound_device device, uint32_t id, uint32_t scope, int64_t *value, int *code) {
    struct nvml_field field = {.field = id, .scope = scope};
    int (*call)(nvml_handle, int, struct nvml_field *) = device->library->fields;
    *code = call != NULL ? call(device->handle, 1, &field) : CPOWER_NVML_FUNCTION_NOT_FOUND;
    if (*code == 0) *code = field.result;
    return *code != 0 ? cpower_nvml_errno(*code) : field_number(&field, value);
}

int cpower_nvml_value(const void *bound, int32_t item, int64_t *value, int *code) {
    bound_device device = bound;
    const struct cpower_nvml *library = device->library;
    switch (item) {
    case CPOWER_NVML_ENERGY: return read_long(device, library->energy, value, code);
    case CPOWER_NVML_THROTTLE_REASONS: return read_long(device, library->throttle_reasons, value, code);
    case CPOWER_NVML_POWER_USAGE: return read_int(device, library->power, value, code);
    case CPOWER_NVML_POWER_LIMIT: return read_int(device, library->power_limit, value, code);
    case CPOWER_NVML_POWER_DEFAULT_LIMIT:
        return read_int(device, library->power_default_limit, value, code);
    case CPOWER_NVML_TEMPERATURE:
        return read_int_of(device, library->temperature, NVML_SENSOR_GPU, value, code);
    case CPOWER_NVML_CLOCK_SM: return read_int_of(device, library->clock, NVML_CLOCK_SM, value, code);
    case CPOWER_NVML_CLOCK_MEMORY: return read_int_of(device, library->clock, NVML_CLOCK_MEM, value, code);
    case CPOWER_NVML_POWER_INSTANT:
        return read_field(device, NVML_FIELD_POWER_INSTANT, NVML_SCOPE_GPU, value, code);
    case CPOWER_NVML_POWER_AVERAGE:
        return read_field(device, NVML_FIELD_POWER_AVERAGE, NVML_SCOPE_GPU, value, code);
    case CPOWER_NVML_MODULE_POWER_INSTANT:
        return read_field(device, NVML_FIELD_POWER_INSTANT, NVML_SCOPE_MODULE, value, code);
    case CPOWER_NVML_MODULE_POWER_AVERAGE:
        return read_field(device, NVML_FIELD_POWER_AVERAGE, NVML_SCOPE_MODULE, value, code);
    case CPOWER_NVML_MEMORY_USED:
    case CPOWER_NVML_MEMORY_FREE: return read_memory(device, item, value, code);
    case CPOWER_NVML_MIG_MODE: return read_mig_mode(device, value, code);
    case CPOWER_NVML_COMPUTE_CAPABILITY: return read_capability(device, value, code);
    default: *code = NVML_INVALID_ARGUMENT; return EINVAL;
    }
}

int cpower_nvml_read(const void *device, int32_t item, int64_t *value) {
    int code = 0;
    return cpower_nvml_value(device, item, value, &code);
}

int cpower_nvml_text(const void *bound, int32_t item, char *text, size_t capacity) {
    const struct nvml_bound_device *device = bound;
    const struct cpower_nvml *library = device->library;
    if (capacity == 0) return CPOWER_NVML_INSUFFICIENT_SIZE;
    text[0] = '\0';
    int missing = CPOWER_NVML_FUNCTION_NOT_FOUND;
    uint32_t room = (uint32_t)capacity;
    switch (item) {
    case CPOWER_NVML_UUID: return library->uuid ? library->uuid(device->handle, text, room) : missing;
    case CPOWER_NVML_NAME: return library->name ? library->name(device->handle, text, room) : missing;
    case CPOWER_NVML_VBIOS: return library->vbios ? library->vbios(device->handle, text, room) : missing;
    case CPOWER_NVML_DRIVER: return library->driver ? library->driver(text, room) : missing;
    case CPOWER_NVML_PCI: {
        if (library->pci == NULL) return missing;
        struct nvml_pci pci = {0};
        int code = library->pci(device->handle, &pci);
        if (code == 0) (void)snprintf(text, capacity, "%.*s", (int)sizeof pci.bus_id, pci.bus_id);
        return code;
    }
    default: return NVML_INVALID_ARGUMENT;
    }
}

int cpower_nvml_processes(
    const void *bound, int32_t kind, struct cpower_nvml_process *processes, uint32_t *count) {
    bound_device device = bound;
    if (kind < 0 || kind >= CPOWER_NVML_PROCESS_KINDS) return NVML_INVALID_ARGUMENT;
    int (*list)(nvml_handle, uint32_t *, struct cpower_nvml_process *) = device->library->processes[kind];
    return list == NULL ? CPOWER_NVML_FUNCTION_NOT_FOUND : list(device->handle, count, processes);
}

int cpower_nvml_utilizations(
    const void *bound, uint64_t after_us, struct cpower_nvml_utilization *samples, uint32_t *count) {
    bound_device device = bound;
    const struct cpower_nvml *library = device->library;
    if (library->utilization == NULL) return CPOWER_NVML_FUNCTION_NOT_FOUND;
    return library->utilization(device->handle, samples, count, after_us);
}

const char *cpower_nvml_item_name(int32_t item) {
    switch (item) {
    case CPOWER_NVML_ENERGY: return "nvmlDeviceGetTotalEnergyConsumption";
    case CPOWER_NVML_POWER_USAGE: return "nvmlDeviceGetPowerUsage";
    case CPOWER_NVML_POWER_INSTANT:
    case CPOWER_NVML_MODULE_POWER_INSTANT: return "NVML_FI_DEV_POWER_INSTANT";
    case CPOWER_NVML_POWER_AVERAGE:
    case CPOWER_NVML_MODULE_POWER_AVERAGE: return "NVML_FI_DEV_POWER_AVERAGE";
    case CPOWER_NVML_TEMPERATURE: return "nvmlDeviceGetTemperature";
    case CPOWER_NVML_CLOCK_SM:
    case CPOWER_NVML_CLOCK_MEMORY: return "nvmlDeviceGetClockInfo";
    case CPOWER_NVML_THROTTLE_REASONS: return "nvmlDeviceGetCurrentClocksEventReasons";
    case CPOWER_NVML_MEMORY_USED:
    case CPOWER_NVML_MEMORY_FREE: return "nvmlDeviceGetMemoryInfo";
    case CPOWER_NVML_POWER_LIMIT: return "nvmlDeviceGetPowerManagementLimit";
    case CPOWER_NVML_POWER_DEFAULT_LIMIT: return "nvmlDeviceGetPowerManagementDefaultLimit";
    case CPOWER_NVML_MIG_MODE: return "nvmlDeviceGetMigMode";
    case CPOWER_NVML_COMPUTE_CAPABILITY: return "nvmlDeviceGetCudaComputeCapability";
    default: return "?";
    }
}
