#include "combined.h"

#include "fields.h"
#include "files.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>

// Files of one value hold a line: 20 digits, or a word of a battery's state.
enum { TEXT_CAPACITY = 64 };

static int read_field(int descriptor, const struct cpower_field *field, int64_t *value) {
    char text[TEXT_CAPACITY];
    ssize_t length = cpower_read_start(descriptor, text, sizeof text);
    return length < 0 ? (int)-length : cpower_field_parse(text, (size_t)length, field, value);
}

static bool is_in_state(const struct cpower_combined *combined, int *error) {
    if (combined->state_descriptor < 0) return true;
    struct cpower_field field;
    int64_t is_so = 0;
    *error = cpower_field_is(combined->state, &field);
    if (*error == 0) *error = read_field(combined->state_descriptor, &field, &is_so);
    if (*error == 0 && !is_so) *error = ENODATA;
    return *error == 0;
}

int cpower_combined_value(const void *device, int32_t unused, int64_t *value) {
    (void)unused;
    const struct cpower_combined *combined = device;
    int error = 0;
    if (!is_in_state(combined, &error)) return error;

    const struct cpower_field whole = cpower_field_whole();
    __int128 product = 1;
    for (int i = 0; i < 2 && combined->descriptors[i] >= 0; i++) {
        int64_t factor = 0;
        error = read_field(combined->descriptors[i], &whole, &factor);
        if (error != 0) return error;
        product *= factor < 0 ? -(__int128)factor : factor;
    }
    product /= combined->divisor;
    if (combined->is_falling) product = combined->base - product;
    if (product > INT64_MAX || product < INT64_MIN) return ERANGE;
    *value = (int64_t)product;
    return 0;
}

int cpower_sensors_micro_product(const void *device, int32_t unused, int64_t *value) {
    (void)unused;
    const struct cpower_sensor_pair *pair = device;
    double first = 0;
    double second = 0;
    int error = cpower_sensors_value(pair->chip, pair->first, &first);
    if (error == 0) error = cpower_sensors_value(pair->chip, pair->second, &second);
    if (error != 0) return error;
    double micro = fabs(first * second) * 1e6;
    if (!isfinite(micro) || micro > 9e18) return ERANGE;
    *value = llround(micro);
    return 0;
}
