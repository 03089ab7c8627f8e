#include "scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action.h"

typedef bool declaration(struct machine *, const struct words *, struct message *);

struct domain *find_domain(struct machine *machine, const char *name, struct message *message) {
    struct domain *domain = machine_domain(machine, name);
    if (domain == NULL) refuse(message, "unknown domain '%.60s'", name);
    return domain;
}

static struct domain *add_domain(
    struct machine *machine, const char *name, int64_t microwatts, struct message *message) {
    size_t length = strlen(name);
    const char *allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    if (length == 0 || length > 64 || strspn(name, allowed) != length) {
        refuse(message, "'%.60s' is no name: up to 64 letters, digits, and . _ - make one", name);
        return NULL;
    }
    if (machine_domain(machine, name) != NULL) {
        refuse(message, "the domain '%s' is there already", name);
        return NULL;
    }
    struct domain **domains = array_more(machine->domains, machine->domain_count, sizeof *domains);
    if (domains != NULL) machine->domains = domains;
    struct domain *domain = calloc(1, sizeof *domain);
    char *copy = strdup(name);
    if (domains == NULL || domain == NULL || copy == NULL || !domain_set(domain, 0, microwatts)) {
        free(domain);
        free(copy);
        refuse(message, "out of memory");
        return NULL;
    }
    domain->name = copy;
    domains[machine->domain_count++] = domain;
    return domain;
}

static bool declare_domain(struct machine *machine, const struct words *words, struct message *message) {
    int64_t microwatts = 0;
    if (words->count < 2 || words->count > 3) return refuse(message, "expected: domain NAME [WATTS]");
    if (words->count == 3 && !parse_decimal(words->items[2].text, 6, &microwatts, message)) return false;
    if (microwatts < 0 || microwatts > MOST_MICROWATTS) {
        return refuse(message, "the power %.60s W is not between 0 and 10 MW", words->items[2].text);
    }
    return add_domain(machine, words->items[1].text, microwatts, message) != NULL;
}

static bool declare_sum(struct machine *machine, const struct words *words, struct message *message) {
    if (words->count < 3) return refuse(message, "expected: sum NAME DOMAIN [DOMAIN ...]");
    size_t count = words->count - 2;
    struct domain **members = calloc(count, sizeof *members);
    if (members == NULL) return refuse(message, "out of memory");
    struct domain sum = {.members = members, .member_count = count};
    for (size_t at = 0; at < count; at += 1) {
        members[at] = find_domain(machine, words->items[at + 2].text, message);
        if (members[at] == NULL) {
            free(members);
            return false;
        }
    }
    struct domain *domain = add_domain(machine, words->items[1].text, domain_sum(&sum), message);
    if (domain == NULL) {
        free(members);
        return false;
    }
    domain->members = members;
    domain->member_count = count;
    return true;
}

struct node *add_sensor(
    struct machine *machine, const char *path, const struct sensor *sensor, int64_t mode,
    struct message *message) {
    struct sensor *copy = malloc(sizeof *copy);
    struct node *node = tree_add(&machine->tree, path, NODE_SENSOR, message);
    if (copy == NULL || node == NULL) {
        free(copy);
        if (node != NULL) refuse(message, "out of memory");
        return NULL;
    }
    *copy = *sensor;
    node->sensor = copy;
    node->mode = mode;
    return node;
}

static bool declare_sensor(
    struct machine *machine, const struct words *words, bool is_counter, struct message *message) {
    if (words->count < 3) {
        return refuse(message, "expected: %s PATH DOMAIN [key=value ...]", words->items[0].text);
    }
    struct sensor sensor = {
        .is_counter = is_counter, .domain = find_domain(machine, words->items[2].text, message)};
    int64_t mode;
    return sensor.domain != NULL && sensor_parse(&sensor, words, 3, &mode, message)
           && sensor_begin(&sensor, message)
           && add_sensor(machine, words->items[1].text, &sensor, mode, message) != NULL;
}

static bool declare_counter(struct machine *machine, const struct words *words, struct message *message) {
    return declare_sensor(machine, words, true, message);
}

static bool declare_gauge(struct machine *machine, const struct words *words, struct message *message) {
    return declare_sensor(machine, words, false, message);
}

static bool declare_text(struct machine *machine, const struct words *words, struct message *message) {
    int64_t mode = 0444;
    const struct key keys[] = {{"mode", KEY_MODE, 0, 0, 0, &mode, NULL}};
    if (words->count < 3) return refuse(message, "expected: text PATH WORD [mode=0444]");
    return parse_keys(words, 3, keys, 1, message)
           && tree_add_text(&machine->tree, words->items[1].text, words->items[2].text, mode, message);
}

static bool declare_link(struct machine *machine, const struct words *words, struct message *message) {
    if (words->count != 3) return refuse(message, "expected: link PATH TARGET");
    return tree_add_link(&machine->tree, words->items[1].text, words->items[2].text, message) != NULL;
}

static bool add_event(
    struct event **events, size_t *count, int64_t at_ns, struct action_list *actions,
    struct message *message) {
    struct event *more = actions == NULL ? NULL : array_more(*events, *count, sizeof *more);
    if (more == NULL) {
        if (actions != NULL) refuse(message, "out of memory");
        action_free(actions);
        return false;
    }
    *events = more;
    size_t place = *count;
    // Events of one moment stay in the order in which they were written.
    for (; place > 0 && more[place - 1].at_ns > at_ns; place -= 1) more[place] = more[place - 1];
    more[place] = (struct event){at_ns, actions};
    *count += 1;
    return true;
}

static bool declare_at(struct machine *machine, const struct words *words, struct message *message) {
    int64_t at_ns;
    if (words->count < 3) return refuse(message, "expected: at TIME ACTION [; ACTION ...]");
    return parse_time(words->items[1].text, &at_ns, message)
           && add_event(
               &machine->events, &machine->event_count, at_ns, action_parse(machine, words, 2, message),
               message);
}

static bool declare_phase(struct machine *machine, const struct words *words, struct message *message) {
    if (words->count < 3) return refuse(message, "expected: define NAME ACTION [; ACTION ...]");
    for (size_t at = 0; at < machine->phase_count; at += 1) {
        if (strcmp(machine->phases[at].name, words->items[1].text) != 0) continue;
        return refuse(message, "the phase '%.60s' is there already", words->items[1].text);
    }
    struct phase phase = {strdup(words->items[1].text), action_parse(machine, words, 2, message)};
    struct phase *phases = array_more(machine->phases, machine->phase_count, sizeof *phases);
    if (phases != NULL) machine->phases = phases;
    if (phase.actions != NULL && phase.name != NULL && phases != NULL) {
        phases[machine->phase_count++] = phase;
        return true;
    }
    if (phase.actions != NULL) refuse(message, "out of memory");
    action_free(phase.actions);
    free(phase.name);
    return false;
}

static bool parse_step(const char *word, struct wave_step *step, struct message *message) {
    const char *sign = strchr(word, ':');
    if (sign == NULL) return refuse(message, "'%.60s' is not WATTS:TIME", word);
    char *watts = strndup(word, (size_t)(sign - word));
    if (watts == NULL) return refuse(message, "out of memory");
    bool good = parse_decimal(watts, 6, &step->microwatts, message);
    free(watts);
    if (!good || !parse_time(sign + 1, &step->length_ns, message)) return false;
    if (step->microwatts < 0 || step->microwatts > MOST_MICROWATTS) {
        return refuse(message, "the power in '%.60s' is not between 0 and 10 MW", word);
    }
    // The log has a line for each step.
    return step->length_ns >= 100000 || refuse(message, "the step '%.60s' is shorter than 100us", word);
}

static bool declare_wave(struct machine *machine, const struct words *words, struct message *message) {
    if (words->count < 4) return refuse(message, "expected: wave DOMAIN WATTS:TIME WATTS:TIME ...");
    struct wave wave = {
        .domain = find_domain(machine, words->items[1].text, message), .count = words->count - 2};
    if (wave.domain == NULL) return false;
    if (wave.domain->members != NULL) {
        return refuse(message, "'%.60s' is a sum: give its members waves", words->items[1].text);
    }
    struct wave *waves = array_more(machine->waves, machine->wave_count, sizeof *waves);
    if (waves != NULL) machine->waves = waves;
    wave.steps = calloc(wave.count, sizeof *wave.steps);
    bool good = (waves != NULL && wave.steps != NULL) || refuse(message, "out of memory");
    for (size_t at = 0; good && at < wave.count; at += 1) {
        good = parse_step(words->items[at + 2].text, &wave.steps[at], message);
    }
    if (good) {
        waves[machine->wave_count++] = wave;
    } else {
        free(wave.steps);
    }
    return good;
}

static bool run_line(struct machine *machine, const struct words *words, struct message *message) {
    static const struct {
        const char *name;
        declaration *declare;
    } grammar[] = {
        {"domain", declare_domain}, {"sum", declare_sum},     {"counter", declare_counter},
        {"gauge", declare_gauge},   {"text", declare_text},   {"link", declare_link},
        {"zone", declare_zone},     {"chip", declare_chip},   {"at", declare_at},
        {"define", declare_phase},  {"wave", declare_wave},
    };
    if (words->count == 0) return true;
    const char *name = words->items[0].text;
    for (size_t at = 0; at < sizeof grammar / sizeof *grammar; at += 1) {
        if (strcmp(grammar[at].name, name) == 0) return grammar[at].declare(machine, words, message);
    }
    if (!action_is_known(name)) {
        return refuse(
            message,
            "unknown word '%.60s'; a line begins with domain, sum, counter, gauge, text, link, zone, chip, "
            "at, define, wave, or with one of the actions %s", name, ACTION_NAMES);
    }
    return add_event(
        &machine->initial, &machine->initial_count, 0, action_parse(machine, words, 0, message), message);
}

bool scenario_read(struct machine *machine, const char *path, struct message *message) {
    FILE *file = fopen(path, "re");
    if (file == NULL) return refuse(message, "%s: %s", path, strerror(errno));
    char *line = NULL;
    size_t room = 0, number = 0;
    ssize_t length;
    bool good = true;
    struct message cause;
    while (good && (length = getline(&line, &room, file)) >= 0) {
        struct words words;
        number += 1;
        if (length > 0 && line[length - 1] == '\n') length -= 1;
        good = words_split(line, (size_t)length, &words, &cause);
        if (!good) break;
        good = run_line(machine, &words, &cause);
        words_free(&words);
    }
    if (!good) {
        refuse(message, "%.200s:%zu: %.280s", path, number, cause.text);
    } else if (ferror(file)) {
        good = refuse(message, "%s: %s", path, strerror(errno));
    }
    free(line);
    if (fclose(file) != 0 && good) good = refuse(message, "%s: %s", path, strerror(errno));
    return good;
}
