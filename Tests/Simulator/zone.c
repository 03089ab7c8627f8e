// Macros for what the kernel makes of a powercap zone and a hwmon chip.
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

/// `type:0[:1[:2]]` and where its directory is.
struct zone_place {
    char type[64];
    struct text directory;
    size_t depth;
};

// devices/virtual/powercap/intel-rapl/intel-rapl:0/intel-rapl:0:1
static bool find_place(const char *zone, struct zone_place *place, struct message *message) {
    *place = (struct zone_place){0};
    size_t length = strcspn(zone, ":");
    const char *at = zone + length;
    bool good = length > 0 && length < sizeof place->type && memchr(zone, '/', length) == NULL && *at == ':';
    if (good) memcpy(place->type, zone, length);
    text_add(&place->directory, "devices/virtual/powercap/%s", place->type);
    while (good && *at == ':') {
        size_t digits = strspn(at + 1, "0123456789");
        at += digits + 1;
        place->depth += 1;
        good = digits > 0 && digits <= 4 && place->depth <= 3;
        text_add(&place->directory, "/%.*s", (int)(at - zone), zone);
    }
    if (good && *at == '\0' && !place->directory.failed) return true;
    text_free(&place->directory);
    return refuse(message, "'%.60s' is no zone such as intel-rapl:0 or intel-rapl-mmio:0:1", zone);
}

// A text file in a directory, or with mode 0 a link.
static bool put(
    struct machine *machine, const char *directory, const char *name, int64_t mode, const char *text,
    struct message *message) {
    struct text path = {0};
    text_add(&path, "%s/%s", directory, name);
    bool good = !path.failed || refuse(message, "out of memory");
    good = good
           && (mode == 0 ? tree_add_link(&machine->tree, path.bytes, text, message)
                         : tree_add_text(&machine->tree, path.bytes, text, mode, message))
                  != NULL;
    text_free(&path);
    return good;
}

// class/powercap/NAME -> ../../devices/virtual/powercap/...
static bool put_class_link(
    struct machine *machine, const char *name, const char *directory, struct message *message) {
    struct text target = {0};
    text_add(&target, "../../%s", directory);
    bool good = !target.failed || refuse(message, "out of memory");
    if (good) good = put(machine, "class/powercap", name, 0, target.bytes, message);
    text_free(&target);
    return good;
}

// The control type, once: its directory, class link and files.
static bool add_type(struct machine *machine, const char *type, struct message *message) {
    struct text directory = {0};
    text_add(&directory, "devices/virtual/powercap/%s", type);
    bool good = !directory.failed || refuse(message, "out of memory");
    if (good && tree_find(&machine->tree, directory.bytes) == NULL) {
        good = put(machine, directory.bytes, "enabled", 0644, "1", message)
               && put(machine, directory.bytes, "subsystem", 0, "../../../../class/powercap", message)
               && put_class_link(machine, type, directory.bytes, message);
    }
    text_free(&directory);
    return good;
}

static bool add_constraint(
    struct machine *machine, const char *directory, int64_t microwatts, struct message *message) {
    struct text power = {0};
    text_add(&power, "%lld", (long long)microwatts);
    // The names and the 0.98 s window that Intel's driver shows.
    bool good = (!power.failed || refuse(message, "out of memory"))
                && put(machine, directory, "constraint_0_name", 0444, "long_term", message)
                && put(machine, directory, "constraint_0_power_limit_uw", 0644, power.bytes, message)
                && put(machine, directory, "constraint_0_max_power_uw", 0444, power.bytes, message)
                && put(machine, directory, "constraint_0_time_window_us", 0644, "976562", message);
    text_free(&power);
    return good;
}

static bool add_zone(
    struct machine *machine, const struct words *words, const struct zone_place *place,
    const struct sensor *sensor, int64_t mode, int64_t max_power, struct message *message) {
    const char *zone = words->items[1].text, *directory = place->directory.bytes;
    struct text path = {0}, range = {0}, subsystem = {0};
    text_add(&path, "%s/energy_uj", directory);
    text_add(&range, "%lld", (long long)sensor->range);
    for (size_t level = 0; level < place->depth + 4; level += 1) text_add(&subsystem, "../");
    text_add(&subsystem, "class/powercap");
    bool good = !(path.failed || range.failed || subsystem.failed);
    if (!good) refuse(message, "out of memory");
    good = good && add_type(machine, place->type, message)
           && put_class_link(machine, zone, directory, message)
           && put(machine, directory, "name", 0444, words->items[2].text, message)
           && add_sensor(machine, path.bytes, sensor, mode, message) != NULL
           && (sensor->range == 0
               || put(machine, directory, "max_energy_range_uj", 0444, range.bytes, message))
           && put(machine, directory, "enabled", 0644, "1", message)
           && put(machine, directory, "subsystem", 0, subsystem.bytes, message)
           && (max_power == 0 || add_constraint(machine, directory, max_power, message));
    text_free(&path);
    text_free(&range);
    text_free(&subsystem);
    return good;
}

bool declare_zone(struct machine *machine, const struct words *words, struct message *message) {
    if (words->count < 4) {
        return refuse(message, "expected: zone ZONE NAME DOMAIN [key=value ...]");
    }
    struct sensor sensor = {
        .is_counter = true, .domain = find_domain(machine, words->items[3].text, message)};
    int64_t mode, max_power;
    struct zone_place place;
    if (sensor.domain == NULL || !sensor_parse_zone(&sensor, words, 4, &mode, &max_power, message)
        || !sensor_begin(&sensor, message) || !find_place(words->items[1].text, &place, message)) {
        return false;
    }
    bool good = add_zone(machine, words, &place, &sensor, mode, max_power, message);
    text_free(&place.directory);
    return good;
}

// BUS/NAME: a directory with the link by which libsensors tells the bus, and the chip below it.
static bool add_device(
    struct machine *machine, const char *device, const char *chip, struct text *directory,
    struct message *message) {
    const char *name = strchr(device, '/');
    if (name == NULL || name == device || name[1] == '\0' || strchr(name + 1, '/') != NULL) {
        return refuse(message, "'%.60s' is no device such as pci/0000:03:00.0", device);
    }
    name += 1;
    struct text place = {0}, bus = {0}, link = {0};
    text_add(&place, "devices/simulated/%s", name);
    text_add(&bus, "../../../bus/%.*s", (int)(name - 1 - device), device);
    text_add(&link, "../../../%s", name);
    text_add(directory, "%s/hwmon/%s", place.bytes, chip);
    bool good = !(place.failed || bus.failed || link.failed || directory->failed);
    if (!good) refuse(message, "out of memory");
    if (good && tree_find(&machine->tree, place.bytes) == NULL) {
        good = put(machine, place.bytes, "subsystem", 0, bus.bytes, message);
    }
    good = good && put(machine, directory->bytes, "device", 0, link.bytes, message);
    text_free(&place);
    text_free(&bus);
    text_free(&link);
    return good;
}

bool declare_chip(struct machine *machine, const struct words *words, struct message *message) {
    if (words->count < 3 || words->count > 4) {
        return refuse(message, "expected: chip hwmonN NAME [BUS/DEVICE]");
    }
    const char *chip = words->items[1].text;
    size_t digits = strncmp(chip, "hwmon", 5) == 0 ? strspn(chip + 5, "0123456789") : 0;
    if (digits == 0 || chip[5 + digits] != '\0') return refuse(message, "'%.60s' is not hwmonN", chip);
    struct text directory = {0}, target = {0};
    bool good = true;
    if (words->count == 4) {
        good = add_device(machine, words->items[3].text, chip, &directory, message);
    } else {
        text_add(&directory, "devices/virtual/hwmon/%s", chip);
    }
    if (good) {
        text_add(&target, "../../%s", directory.bytes);
        good = !directory.failed && !target.failed;
        if (!good) refuse(message, "out of memory");
    }
    good = good && put(machine, directory.bytes, "name", 0444, words->items[2].text, message)
           && put(machine, "class/hwmon", chip, 0, target.bytes, message);
    text_free(&directory);
    text_free(&target);
    return good;
}
