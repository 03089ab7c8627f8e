// hwmon through libsensors: found by dlopen at run time, so that it may be absent. Names, labels and the
// scaling of sensors.conf(5) are its work; it reads "/sys" alone, wherever the caller's own root is.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Kinds of feature, as bits.
enum {
    CPOWER_SENSOR_POWER = 1,
    CPOWER_SENSOR_ENERGY = 2,
    CPOWER_SENSOR_TEMPERATURE = 4,
    CPOWER_SENSOR_CURRENT = 8,
    CPOWER_SENSOR_VOLTAGE = 16,
    CPOWER_SENSOR_FAN = 32,
};

/// One readable subfeature of a chip: "amdgpu-pci-0300", "power1", "power1_average". Texts that do not fit are cut.
struct cpower_sensor {
    /// For `cpower_sensors_value`; valid until the process ends.
    const void *chip;
    int32_t number;
    /// One of the bits above.
    uint32_t kind;
    char chip_name[64];
    /// The chip's driver, e.g. "amdgpu".
    char prefix[32];
    /// The chip's directory below /sys, "" when unknown.
    char path[128];
    char feature[32];
    char subfeature[48];
    /// The user's or driver's label, e.g. "PPT"; the feature's name when there is none.
    char label[64];
};

/// Loads libsensors.so.5 and lets it find the chips; only the first call does anything.
/// Returns 0; ELIBACC when there is no such library (or it lacks a function), else as `cpower_sensors_value`.
int cpower_sensors_open(void);

/// Writes at most `most` readable subfeatures of the kinds asked for. `omitted` gets how many found no room.
/// Returns 0, or ENXIO when `cpower_sensors_open` has not succeeded.
int cpower_sensors_list(
    uint32_t kinds, struct cpower_sensor *sensors, size_t most, size_t *count, size_t *omitted);

/// Reads a subfeature in base units (W, J, degrees Celsius, A, V, rpm).
/// Returns 0, or libsensors' code as errno: EIO (it could not be read, whatever the cause), ENOENT, EINVAL, ELOOP,
/// EDOM.
int cpower_sensors_value(const void *chip, int32_t number, double *value);

/// The same in millionths of the base unit, for the sampler; ERANGE when that does not fit.
int cpower_sensors_micro_value(const void *chip, int32_t number, int64_t *value);
