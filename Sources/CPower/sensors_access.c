#include "sensors_access.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sensors/error.h>
#include <sensors/sensors.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct {
    __typeof__(sensors_init) *init;
    __typeof__(sensors_get_detected_chips) *chips;
    __typeof__(sensors_get_features) *features;
    __typeof__(sensors_get_all_subfeatures) *subfeatures;
    __typeof__(sensors_get_label) *label;
    __typeof__(sensors_get_value) *value;
    __typeof__(sensors_snprintf_chip_name) *chip_name;
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int open_error = ENXIO;

static int errno_of(int code) {
    switch (code < 0 ? -code : code) {
    case 0: return 0;
    case SENSORS_ERR_NO_ENTRY: return ENOENT;
    case SENSORS_ERR_DIV_ZERO: return EDOM;
    case SENSORS_ERR_RECURSION: return ELOOP;
    // "Can't read" is not a want of permission: it is any failure, an unreadable number included.
    case SENSORS_ERR_ACCESS_R:
    case SENSORS_ERR_KERNEL:
    case SENSORS_ERR_IO: return EIO;
    default: return EINVAL;
    }
}

static void *symbol(void *handle, const char *name, bool *missing) {
    void *address = dlsym(handle, name);
    *missing |= address == NULL;
    return address;
}

// sensors.conf is the user's and its faults are not ours to print: libsensors skips what it cannot parse.
static void ignore_parse_error(const char *text, const char *file, int line) {
    (void)text;
    (void)file;
    (void)line;
}

static void open_once(void) {
    void *handle = dlopen("libsensors.so.5", RTLD_NOW | RTLD_LOCAL);
    bool missing = handle == NULL;
    if (!missing) {
        library.init = symbol(handle, "sensors_init", &missing);
        library.chips = symbol(handle, "sensors_get_detected_chips", &missing);
        library.features = symbol(handle, "sensors_get_features", &missing);
        library.subfeatures = symbol(handle, "sensors_get_all_subfeatures", &missing);
        library.label = symbol(handle, "sensors_get_label", &missing);
        library.value = symbol(handle, "sensors_get_value", &missing);
        library.chip_name = symbol(handle, "sensors_snprintf_chip_name", &missing);
    }
    if (missing) {
        if (handle != NULL) (void)dlclose(handle);
        open_error = ELIBACC;
        return;
    }
    __typeof__(sensors_parse_error_wfn) *report = dlsym(handle, "sensors_parse_error_wfn");
    if (report != NULL) *report = ignore_parse_error;
    open_error = errno_of(library.init(NULL));
}

int cpower_sensors_open(void) {
    int error = pthread_once(&once, open_once);
    return error != 0 ? error : open_error;
}

static uint32_t kind_of(sensors_feature_type type) {
    switch (type) {
    case SENSORS_FEATURE_POWER: return CPOWER_SENSOR_POWER;
    case SENSORS_FEATURE_ENERGY: return CPOWER_SENSOR_ENERGY;
    case SENSORS_FEATURE_TEMP: return CPOWER_SENSOR_TEMPERATURE;
    case SENSORS_FEATURE_CURR: return CPOWER_SENSOR_CURRENT;
    case SENSORS_FEATURE_IN: return CPOWER_SENSOR_VOLTAGE;
    case SENSORS_FEATURE_FAN: return CPOWER_SENSOR_FAN;
    default: return 0;
    }
}

static void copy(char *into, size_t capacity, const char *text) {
    size_t length = text == NULL ? 0 : strnlen(text, capacity - 1);
    if (length > 0) memcpy(into, text, length);
    into[length] = '\0';
}

static void describe(
    struct cpower_sensor *sensor, const sensors_chip_name *chip, const sensors_feature *feature,
    const sensors_subfeature *subfeature, uint32_t kind) {
    *sensor = (struct cpower_sensor){.chip = chip, .number = subfeature->number, .kind = kind};
    // A negative result leaves no text that could be used.
    if (library.chip_name(sensor->chip_name, sizeof sensor->chip_name, chip) < 0) sensor->chip_name[0] = '\0';
    copy(sensor->prefix, sizeof sensor->prefix, chip->prefix);
    copy(sensor->path, sizeof sensor->path, chip->path);
    copy(sensor->feature, sizeof sensor->feature, feature->name);
    copy(sensor->subfeature, sizeof sensor->subfeature, subfeature->name);
    char *label = library.label(chip, feature);
    copy(sensor->label, sizeof sensor->label, label != NULL ? label : feature->name);
    free(label);
}

int cpower_sensors_list(
    uint32_t kinds, struct cpower_sensor *sensors, size_t most, size_t *count, size_t *omitted) {
    *count = 0;
    *omitted = 0;
    if (cpower_sensors_open() != 0) return ENXIO;

    const sensors_chip_name *chip;
    int chip_state = 0;
    while ((chip = library.chips(NULL, &chip_state)) != NULL) {
        const sensors_feature *feature;
        int feature_state = 0;
        while ((feature = library.features(chip, &feature_state)) != NULL) {
            uint32_t kind = kind_of(feature->type);
            if ((kind & kinds) == 0) continue;
            const sensors_subfeature *subfeature;
            int subfeature_state = 0;
            while ((subfeature = library.subfeatures(chip, feature, &subfeature_state)) != NULL) {
                if ((subfeature->flags & SENSORS_MODE_R) == 0) continue;
                if (*count == most) {
                    *omitted += 1;
                    continue;
                }
                describe(&sensors[*count], chip, feature, subfeature, kind);
                *count += 1;
            }
        }
    }
    return 0;
}

int cpower_sensors_value(const void *chip, int32_t number, double *value) {
    if (cpower_sensors_open() != 0) return ENXIO;
    return errno_of(library.value(chip, number, value));
}

int cpower_sensors_micro_value(const void *chip, int32_t number, int64_t *value) {
    double base = 0;
    int error = cpower_sensors_value(chip, number, &base);
    if (error != 0) return error;
    double micro = base * 1e6;
    if (!isfinite(micro) || fabs(micro) > 9e18) return ERANGE;
    *value = llround(micro);
    return 0;
}
