// NVIDIA's management library (NVML): found by dlopen at run time, so that it may be absent.
//
// Declarations of its binary interface are in nvml_abi.h, written from NVIDIA's "NVML API Reference". Functions
// here return NVML's own code (0: success) unless they say otherwise; `cpower_nvml_errno` turns it into errno.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A library that was loaded and initialised; it stays so until the process ends.
struct cpower_nvml;

/// Codes that decide what becomes of a source; the others are kept as numbers (nvmlReturn_t).
enum {
    CPOWER_NVML_SUCCESS = 0,
    CPOWER_NVML_NOT_SUPPORTED = 3,
    CPOWER_NVML_NO_PERMISSION = 4,
    CPOWER_NVML_NOT_FOUND = 6,
    CPOWER_NVML_INSUFFICIENT_SIZE = 7,
    CPOWER_NVML_INSUFFICIENT_POWER = 8,
    CPOWER_NVML_DRIVER_NOT_LOADED = 9,
    CPOWER_NVML_LIBRARY_NOT_FOUND = 12,
    CPOWER_NVML_FUNCTION_NOT_FOUND = 13,
    CPOWER_NVML_GPU_IS_LOST = 15,
    CPOWER_NVML_RESET_REQUIRED = 16,
    CPOWER_NVML_LIB_RM_VERSION_MISMATCH = 18,
};

/// A number that a device tells. The value of power fields is in the scope of the GPU, or of the module that
/// holds GPU, processor and memory.
enum {
    /// mJ since the driver was loaded (nvmlDeviceGetTotalEnergyConsumption).
    CPOWER_NVML_ENERGY,
    /// mW (nvmlDeviceGetPowerUsage): a mean of 1 s on Ampere (but GA100) and later, else momentary.
    CPOWER_NVML_POWER_USAGE,
    /// mW (NVML_FI_DEV_POWER_INSTANT).
    CPOWER_NVML_POWER_INSTANT,
    /// mW, a mean of 1 s (NVML_FI_DEV_POWER_AVERAGE).
    CPOWER_NVML_POWER_AVERAGE,
    CPOWER_NVML_MODULE_POWER_INSTANT,
    CPOWER_NVML_MODULE_POWER_AVERAGE,
    /// Degrees Celsius.
    CPOWER_NVML_TEMPERATURE,
    /// MHz.
    CPOWER_NVML_CLOCK_SM,
    CPOWER_NVML_CLOCK_MEMORY,
    /// A bit mask (nvmlClocksEventReasons).
    CPOWER_NVML_THROTTLE_REASONS,
    /// Bytes, what the driver keeps for itself included.
    CPOWER_NVML_MEMORY_USED,
    /// Bytes that can still be had.
    CPOWER_NVML_MEMORY_FREE,
    /// mW.
    CPOWER_NVML_POWER_LIMIT,
    CPOWER_NVML_POWER_DEFAULT_LIMIT,
    /// 1 where the board is divided into instances (MIG).
    CPOWER_NVML_MIG_MODE,
    /// 10 x major + minor: 80 for GA100, 90 for Hopper.
    CPOWER_NVML_COMPUTE_CAPABILITY,
    CPOWER_NVML_ITEMS,
};

/// A text that a device or its driver tells.
enum {
    CPOWER_NVML_UUID,
    CPOWER_NVML_NAME,
    /// "00000000:65:00.0".
    CPOWER_NVML_PCI,
    CPOWER_NVML_VBIOS,
    CPOWER_NVML_DRIVER,
    CPOWER_NVML_TEXTS,
};

/// Which processes of a device: those that compute, that draw, or that compute through a server which shares the
/// device out (MPS).
enum {
    CPOWER_NVML_COMPUTING,
    CPOWER_NVML_DRAWING,
    CPOWER_NVML_SHARING,
    CPOWER_NVML_PROCESS_KINDS,
};

/// A process that the driver lists on a device; laid out as NVML has it (nvmlProcessInfo_v2_t).
struct cpower_nvml_process {
    uint32_t pid;
    /// Bytes; all bits set where the driver does not tell.
    uint64_t memory;
    /// All bits set where the board is not divided.
    uint32_t gpu_instance;
    uint32_t compute_instance;
};

/// What the driver's samples since a moment credit a process with, in percent of the device's time; laid out as NVML
/// has it (nvmlProcessUtilizationSample_t).
struct cpower_nvml_utilization {
    uint32_t pid;
    /// Of its newest sample, microseconds of a clock of the driver's (CLOCK_REALTIME on Linux).
    uint64_t time_us;
    uint32_t sm;
    uint32_t memory;
    uint32_t encoder;
    uint32_t decoder;
};

/// The value of an environment variable, NULL when it is unset, or when this program runs with privileges of
/// its own (secure_getenv(3)): what it names would be loaded with them.
const char *cpower_secure_environment(const char *name);

/// Loads and initialises the library at `path` (a name is searched as dlopen(3) does). A second call with the
/// same path gives the same library. On failure `text` says what is wrong, NUL-ended:
/// CPOWER_NVML_LIBRARY_NOT_FOUND (dlerror(3)'s words), CPOWER_NVML_FUNCTION_NOT_FOUND (its name), or the code
/// of nvmlInit_v2.
int cpower_nvml_open(const char *path, struct cpower_nvml **library, char *text, size_t capacity);

/// How many devices the driver shows.
int cpower_nvml_count(struct cpower_nvml *library, uint32_t *count);

/// The device at an index, valid until the process ends. NVML orders devices by PCI address.
int cpower_nvml_device(struct cpower_nvml *library, uint32_t index, const void **device);

/// Reads one of the numbers. Returns 0 or errno, and NVML's code in `code`; ERANGE when the number is beyond 63
/// bits, EBADMSG when it is of a type that is not known.
int cpower_nvml_value(const void *device, int32_t item, int64_t *value, int *code);

/// The same for the sampler: returns 0 or errno.
int cpower_nvml_read(const void *device, int32_t item, int64_t *value);

/// Reads one of the texts, NUL-ended.
int cpower_nvml_text(const void *device, int32_t item, char *text, size_t capacity);

/// The processes of a kind on a device. `count` is the room, then how many were written; with
/// CPOWER_NVML_INSUFFICIENT_SIZE it is the room that would have been needed.
int cpower_nvml_processes(
    const void *device, int32_t kind, struct cpower_nvml_process *processes, uint32_t *count);

/// What the driver's samples later than `after_us` say of each process (nvmlDeviceGetProcessUtilization); all that
/// it keeps with 0. `count` is the room, then how many were written; with CPOWER_NVML_INSUFFICIENT_SIZE it is the
/// room that is needed, however few there are. CPOWER_NVML_NOT_FOUND: no sample is later.
int cpower_nvml_utilizations(
    const void *device, uint64_t after_us, struct cpower_nvml_utilization *samples, uint32_t *count);

/// NVML's own words for a code, e.g. "Not Supported".
void cpower_nvml_error_text(const struct cpower_nvml *library, int code, char *text, size_t capacity);

/// The function, or the field of nvmlDeviceGetFieldValues, that tells a number; for messages.
const char *cpower_nvml_item_name(int32_t item);

/// The nearest errno: ENOTSUP, EACCES, ENXIO (no driver), ENOENT (no library), ENOSYS (no such function),
/// ENODEV (no such device), ETIMEDOUT, ENOMEM, ENODATA, EAGAIN, EINVAL, ENOBUFS, ELIBBAD (library and driver are
/// of different versions); EIO for what is wrong with the device itself (lost, to be reset) and the rest.
int cpower_nvml_errno(int code);
