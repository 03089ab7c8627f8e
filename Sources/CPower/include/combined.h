// One value out of several files that are read one after the other: power as voltage x current, and a battery's
// power, which tells of the machine only while it discharges.
#pragma once

#include "sensors_access.h"
#include <stdint.h>

/// How the value is made. Plain memory of the caller's that stays until it is read no more.
struct cpower_combined {
    /// Each a descriptor of `cpower_open`; the second is -1 where one file tells the value.
    int descriptors[2];
    /// A file whose whole text has to be `state`, else there is no value; -1 for none.
    int state_descriptor;
    char state[24];
    /// The value is |first| x |second| / `divisor`, or |first| where there is no second; `divisor` is above 0.
    int64_t divisor;
    /// Not 0: the value is `base` - that, for what runs down.
    int is_falling;
    int64_t base;
};

/// Makes the value now; `device` is a `struct cpower_combined`, `unused` is not looked at. Returns 0, or
/// errno of the read that failed; EBADMSG, ENODATA and ERANGE as `cpower_field_parse`;
/// ENODATA where the state is another one.
int cpower_combined_value(const void *device, int32_t unused, int64_t *value);

/// Two subfeatures of one chip, by the numbers that `cpower_sensors_list` gave.
struct cpower_sensor_pair {
    const void *chip;
    int32_t first;
    int32_t second;
};

/// The magnitude of the product of the two in millionths of the base unit, as libsensors gives them; `device` is
/// a `struct cpower_sensor_pair`. Returns as `cpower_sensors_micro_value`.
int cpower_sensors_micro_product(const void *device, int32_t unused, int64_t *value);
