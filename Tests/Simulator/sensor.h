// What a file shows of a domain: a counter of energy or a gauge of power, with a real sensor's shortcomings.
#pragma once

#include "domain.h"
#include "words.h"

/// All times in nanoseconds; moments since the start.
struct sensor {
    bool is_counter;
    const struct domain *domain;

    /// Updates happen at phase + k x period, each moved by up to +-jitter. A period of 0 updates at every
    /// read.
    int64_t period;
    int64_t phase;
    int64_t jitter;
    int64_t seed;
    int64_t lag;
    /// Time constant of a first-order low-pass filter of the power; 0 without.
    int64_t tau;
    /// Parts per million of each period that are observed and stand for all of it.
    int64_t duty;
    /// What the file holds is microjoules or microwatts times scale x 10^-9.
    int64_t scale;

    /// Gauge: the length of time whose mean is shown; 0 for the power of a moment.
    int64_t average;

    /// Counter: the step, in femtojoules, and the largest value in the file's own unit, 0 without a wrap.
    int64_t unit;
    int64_t range;
    /// Counter: what the file shows at the start, and steps added by `jump` and `reset`.
    int64_t start;
    femtojoules offset;

    /// The filtered power at the start of each segment, as far as it was needed.
    double *filtered;
    size_t filtered_count;
    /// Observed energy up to the update of this index, for a duty below 1.
    int64_t duty_update;
    femtojoules duty_energy;
};

/// A counter or a gauge with the default of every key, then `key=value` words from `first` on. `mode` gets
/// the file's mode.
bool sensor_parse(
    struct sensor *sensor, const struct words *words, size_t first, int64_t *mode, struct message *message);

/// Like `sensor_parse`, with the key `max_power` (microwatts) too: the keys of the `zone` macro.
bool sensor_parse_zone(
    struct sensor *sensor, const struct words *words, size_t first, int64_t *mode, int64_t *max_power,
    struct message *message);

/// To be called once the domain is known: makes the counter show its start value.
bool sensor_begin(struct sensor *sensor, struct message *message);

/// The number in the file at a moment that is not before that of any earlier call. False: memory is short.
bool sensor_value(struct sensor *sensor, int64_t now_ns, int64_t *value);

/// Moves a counter by an energy, which its domain does not consume. Refused below 0 and for gauges.
bool sensor_jump(struct sensor *sensor, int64_t now_ns, femtojoules energy, struct message *message);

/// Makes a counter show a value, in the file's own unit, from where it counts on.
bool sensor_reset(struct sensor *sensor, int64_t now_ns, int64_t value, struct message *message);
