// The keys of counters and gauges: their defaults and bounds.
#include "sensor.h"

#include <string.h>

#define HOUR INT64_C(3600000000000)
#define BILLION INT64_C(1000000000)
#define MOST_RANGE INT64_C(9000000000000000000)
#define MOST_UNIT INT64_C(9000000000000000000)

static bool check(const struct sensor *sensor, bool has_average, struct message *message) {
    if (2 * sensor->jitter > sensor->period) {
        return refuse(message, "jitter is a half-width: it is at most half of the period");
    }
    if (sensor->scale == 0) return refuse(message, "scale=0 would show nothing");
    if (sensor->is_counter && sensor->scale < 0 && sensor->range > 0) {
        return refuse(message, "a counter that falls, with its scale below 0, cannot wrap: it needs range=0");
    }
    if (sensor->duty == 1000000) return true;
    if (sensor->period == 0) return refuse(message, "duty is a part of the period, which is 0 here");
    if (sensor->tau != 0) return refuse(message, "duty and tau exclude each other");
    if (has_average) return refuse(message, "duty and average exclude each other");
    return true;
}

static bool parse(
    struct sensor *sensor, const struct words *words, size_t first, int64_t *mode, int64_t *max_power,
    struct message *message) {
    bool has_average = false;
    // A gauge knows the first of these and those of both; a counter those of both and what follows.
    const struct key keys[] = {
        {"average", KEY_TIME, 0, 1, HOUR, &sensor->average, &has_average},
        {"mode", KEY_MODE, 0, 0, 0, mode, NULL},
        {"period", KEY_TIME, 0, 0, HOUR, &sensor->period, NULL},
        {"phase", KEY_TIME, 0, 0, HOUR, &sensor->phase, NULL},
        {"jitter", KEY_TIME, 0, 0, HOUR, &sensor->jitter, NULL},
        {"seed", KEY_DECIMAL, 0, 0, INT64_MAX, &sensor->seed, NULL},
        {"lag", KEY_TIME, 0, 0, HOUR, &sensor->lag, NULL},
        {"tau", KEY_TIME, 0, 0, HOUR, &sensor->tau, NULL},
        {"duty", KEY_DECIMAL, 6, 1, 1000000, &sensor->duty, NULL},
        // Negative for a battery: its power while it discharges, or its energy, which falls.
        {"scale", KEY_DECIMAL, 9, -1000 * BILLION, 1000 * BILLION, &sensor->scale, NULL},
        {"unit", KEY_DECIMAL, 9, 1, MOST_UNIT, &sensor->unit, NULL},
        {"range", KEY_DECIMAL, 0, 0, MOST_RANGE, &sensor->range, NULL},
        {"start", KEY_DECIMAL, 0, 0, MOST_RANGE, &sensor->start, NULL},
        {"max_power", KEY_DECIMAL, 6, 1, MOST_MICROWATTS, max_power, NULL},
    };
    size_t first_key = sensor->is_counter ? 1 : 0;
    size_t count = !sensor->is_counter ? 10 : max_power == NULL ? 12 : 13;
    if (!parse_keys(words, first, keys + first_key, count, message)) return false;
    if (!check(sensor, has_average, message)) return false;
    if (!sensor->is_counter && sensor->duty < 1000000) {
        sensor->average = (int64_t)((femtojoules)sensor->period * sensor->duty / 1000000);
    }
    return true;
}

static void set_defaults(struct sensor *sensor, int64_t *mode) {
    sensor->duty = 1000000;
    sensor->scale = BILLION;
    *mode = 0444;
    if (!sensor->is_counter) return;
    // Intel's most common unit, 2^-14 J (SDM vol. 3B, MSR_RAPL_POWER_UNIT), the period it names, and the
    // range that the kernel makes of both (drivers/powercap/intel_rapl_common.c).
    sensor->unit = INT64_C(61035156250);
    sensor->period = 1000000;
    sensor->range = INT64_C(262143328850);
}

bool sensor_parse(
    struct sensor *sensor, const struct words *words, size_t first, int64_t *mode, struct message *message) {
    set_defaults(sensor, mode);
    return parse(sensor, words, first, mode, NULL, message);
}

bool sensor_parse_zone(
    struct sensor *sensor, const struct words *words, size_t first, int64_t *mode, int64_t *max_power,
    struct message *message) {
    set_defaults(sensor, mode);
    *max_power = 0;
    return parse(sensor, words, first, mode, max_power, message);
}
