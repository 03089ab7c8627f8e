#include "sensor.h"

#include <math.h>
#include <stdlib.h>

static const int64_t MILLION = 1000000, BILLION = 1000000000;

// Towards minus infinity: time before the start is negative.
static femtojoules floor_divide(femtojoules dividend, femtojoules divisor) {
    femtojoules quotient = dividend / divisor;
    return quotient * divisor > dividend ? quotient - 1 : quotient;
}

// splitmix64 (Steele, Lea, Flood 2014): one well-mixed number for each update of each seed.
static uint64_t mix(uint64_t value) {
    value += UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
    return value ^ (value >> 31);
}

static int64_t update_time(const struct sensor *sensor, int64_t update) {
    int64_t moved = 0;
    if (sensor->jitter > 0) {
        uint64_t random = mix(mix((uint64_t)sensor->seed) ^ (uint64_t)update);
        moved = (int64_t)(random % (2 * (uint64_t)sensor->jitter + 1)) - sensor->jitter;
    }
    return sensor->phase + update * sensor->period + moved;
}

// The last update that is not after a moment. Jitter is at most half a period, so that neighbours suffice.
static int64_t update_index(const struct sensor *sensor, int64_t at_ns) {
    int64_t update = (int64_t)floor_divide(at_ns - sensor->phase, sensor->period);
    if (update_time(sensor, update + 1) <= at_ns) return update + 1;
    return update_time(sensor, update) <= at_ns ? update : update - 1;
}

static int64_t last_update(const struct sensor *sensor, int64_t at_ns) {
    return sensor->period == 0 ? at_ns : update_time(sensor, update_index(sensor, at_ns));
}

// The answer to a step decays exponentially: within a segment the filtered power has a closed form.
static double decayed(const struct sensor *sensor, size_t segment, double from, int64_t at_ns) {
    const struct segment *here = &sensor->domain->segments[segment];
    double power = (double)here->microwatts;
    if (at_ns <= here->from_ns) return from;
    return power + (from - power) * exp(-(double)(at_ns - here->from_ns) / (double)sensor->tau);
}

static bool filtered_power(struct sensor *sensor, int64_t at_ns, double *power) {
    const struct domain *domain = sensor->domain;
    size_t segment = domain_segment(domain, at_ns);
    while (sensor->filtered_count <= segment) {
        size_t next = sensor->filtered_count;
        double *filtered = array_more(sensor->filtered, next, sizeof *filtered);
        if (filtered == NULL) return false;
        sensor->filtered = filtered;
        int64_t from_ns = domain->segments[next].from_ns;
        filtered[next] = next == 0 ? (double)domain->segments[0].microwatts
                                   : decayed(sensor, next - 1, filtered[next - 1], from_ns);
        sensor->filtered_count += 1;
    }
    *power = decayed(sensor, segment, sensor->filtered[segment], at_ns);
    return true;
}

// The integral of the filtered power P' = (p - P) / tau is the energy less what the filter still holds.
static bool filtered_energy(struct sensor *sensor, int64_t at_ns, femtojoules *energy) {
    *energy = domain_energy(sensor->domain, at_ns);
    if (sensor->tau == 0) return true;
    double power;
    if (!filtered_power(sensor, at_ns, &power)) return false;
    double held = (double)sensor->tau * (power - (double)sensor->domain->segments[0].microwatts);
    *energy -= (femtojoules)held;
    return true;
}

// Each period counts as if its first part were all of it; periods within one segment are summed at once.
static void observe(struct sensor *sensor, int64_t until) {
    const struct domain *domain = sensor->domain;
    while (sensor->duty_update < until) {
        int64_t from = update_time(sensor, sensor->duty_update) - sensor->lag;
        size_t segment = domain_segment(domain, from);
        int64_t last = until;
        if (segment + 1 < domain->count) {
            last = update_index(sensor, domain->segments[segment + 1].from_ns + sensor->lag);
        }
        if (last > until) last = until;
        if (last > sensor->duty_update) {
            int64_t length = update_time(sensor, last) - sensor->lag - from;
            sensor->duty_energy += (femtojoules)domain->segments[segment].microwatts * length;
            sensor->duty_update = last;
            continue;
        }
        int64_t length = update_time(sensor, sensor->duty_update + 1) - sensor->lag - from;
        int64_t seen = (int64_t)((femtojoules)length * sensor->duty / MILLION);
        femtojoules part = domain_energy(domain, from + seen) - domain_energy(domain, from);
        if (seen > 0) sensor->duty_energy += part * length / seen;
        sensor->duty_update += 1;
    }
}

static bool counted_energy(struct sensor *sensor, int64_t now_ns, femtojoules *energy) {
    if (sensor->duty < MILLION) {
        observe(sensor, update_index(sensor, now_ns));
        *energy = sensor->duty_energy;
        return true;
    }
    // What the first value stands for: without it a counter that lags would begin below its start.
    femtojoules first;
    if (!filtered_energy(sensor, last_update(sensor, now_ns) - sensor->lag, energy)) return false;
    if (!filtered_energy(sensor, last_update(sensor, 0) - sensor->lag, &first)) return false;
    *energy -= first;
    return true;
}

// A step in units of 10^-18 of what the file counts in.
static femtojoules step_size(const struct sensor *sensor) {
    return (femtojoules)sensor->unit * sensor->scale;
}

static femtojoules whole_steps(const struct sensor *sensor, int64_t value) {
    return (femtojoules)value * BILLION * BILLION / step_size(sensor);
}

// The counter's steps at a moment: those it shows, 0 to the last that its range holds.
static bool steps_shown(struct sensor *sensor, int64_t now_ns, femtojoules *steps) {
    femtojoules energy;
    if (!counted_energy(sensor, now_ns, &energy)) return false;
    *steps = floor_divide(energy, sensor->unit) + sensor->offset;
    if (sensor->range > 0) {
        femtojoules modulus = whole_steps(sensor, sensor->range) + 1;
        *steps -= floor_divide(*steps, modulus) * modulus;
    }
    return true;
}

static bool gauge_value(struct sensor *sensor, int64_t now_ns, int64_t *value) {
    int64_t at_ns = last_update(sensor, now_ns) - sensor->lag;
    femtojoules microwatts;
    if (sensor->average > 0) {
        femtojoules end, begin;
        if (!filtered_energy(sensor, at_ns, &end)
            || !filtered_energy(sensor, at_ns - sensor->average, &begin)) {
            return false;
        }
        microwatts = (end - begin) / sensor->average;
    } else if (sensor->tau > 0) {
        double power;
        if (!filtered_power(sensor, at_ns, &power)) return false;
        microwatts = (femtojoules)power;
    } else {
        microwatts = domain_power(sensor->domain, at_ns);
    }
    *value = (int64_t)(microwatts * sensor->scale / BILLION);
    return true;
}

bool sensor_value(struct sensor *sensor, int64_t now_ns, int64_t *value) {
    if (!sensor->is_counter) return gauge_value(sensor, now_ns, value);
    femtojoules steps;
    if (!steps_shown(sensor, now_ns, &steps)) return false;
    *value = (int64_t)(steps * step_size(sensor) / BILLION / BILLION);
    return true;
}

bool sensor_begin(struct sensor *sensor, struct message *message) {
    if (!sensor->is_counter) return true;
    if (sensor->range > 0 && sensor->start > sensor->range) {
        return refuse(message, "the start is beyond the range");
    }
    sensor->offset = whole_steps(sensor, sensor->start);
    if (sensor->duty < MILLION) sensor->duty_update = update_index(sensor, 0);
    return true;
}

bool sensor_jump(struct sensor *sensor, int64_t now_ns, femtojoules energy, struct message *message) {
    if (!sensor->is_counter) return refuse(message, "only a counter can jump");
    femtojoules steps, by = energy / sensor->unit;
    if (!steps_shown(sensor, now_ns, &steps)) return refuse(message, "out of memory");
    if ((steps + by) * step_size(sensor) < 0) {
        return refuse(message, "the counter would go below 0; give it a higher start");
    }
    sensor->offset += by;
    return true;
}

bool sensor_reset(struct sensor *sensor, int64_t now_ns, int64_t value, struct message *message) {
    if (!sensor->is_counter) return refuse(message, "only a counter can be reset");
    if (value < 0 || (sensor->range > 0 && value > sensor->range)) {
        return refuse(message, "the value is not between 0 and the range");
    }
    femtojoules steps;
    if (!steps_shown(sensor, now_ns, &steps)) return refuse(message, "out of memory");
    sensor->offset += whole_steps(sensor, value) - steps;
    return true;
}
