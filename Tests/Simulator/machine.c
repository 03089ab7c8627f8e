#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "action.h"

static const femtojoules NANOJOULE = 1000000;

static int64_t monotonic(void) {
    struct timespec now;
    // Fails for no valid clock.
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool machine_begin(struct machine *machine, const char *log_path, struct message *message) {
    *machine = (struct machine){.lock = PTHREAD_MUTEX_INITIALIZER};
    return tree_begin(&machine->tree, message) && log_begin(&machine->log, log_path, message);
}

struct domain *machine_domain(struct machine *machine, const char *name) {
    for (size_t at = 0; at < machine->domain_count; at += 1) {
        if (strcmp(machine->domains[at]->name, name) == 0) return machine->domains[at];
    }
    return NULL;
}

// "nj":N,"fj":N
static void add_energy(struct text *into, femtojoules energy) {
    text_add(
        into, "\"nj\":%lld,\"fj\":%lld", (long long)(energy / NANOJOULE), (long long)(energy % NANOJOULE));
}

static void log_power(struct machine *machine, const struct domain *domain) {
    struct text line = {0};
    const struct segment *segment = &domain->segments[domain->count - 1];
    text_add(
        &line, "{\"t_ns\":%lld,\"domain\":\"%s\",\"uw\":%lld,",
        (long long)(machine->start_ns + segment->from_ns), domain->name, (long long)segment->microwatts);
    add_energy(&line, segment->before);
    text_add(&line, "}");
    log_add(&machine->log, &line);
    text_free(&line);
}

void machine_note(struct machine *machine, int64_t now_ns, const char *event, const char *line) {
    struct text text = {0};
    text_add(
        &text, "{\"t_ns\":%lld,\"event\":\"%s\",\"line\":", (long long)(machine->start_ns + now_ns), event);
    text_add_json(&text, line);
    text_add(&text, "}");
    log_add(&machine->log, &text);
    text_free(&text);
}

bool machine_set_power(
    struct machine *machine, int64_t now_ns, struct domain *const *domains, const int64_t *microwatts,
    size_t count) {
    for (size_t at = 0; at < count; at += 1) {
        if (!domain_set(domains[at], now_ns, microwatts[at])) return false;
        log_power(machine, domains[at]);
    }
    // A sum is declared after its members, so that one pass settles sums of sums.
    for (size_t at = 0; at < machine->domain_count; at += 1) {
        struct domain *domain = machine->domains[at];
        if (domain->members == NULL) continue;
        int64_t sum = domain_sum(domain);
        if (sum == domain->segments[domain->count - 1].microwatts) continue;
        if (!domain_set(domain, now_ns, sum)) return false;
        log_power(machine, domain);
    }
    return true;
}

bool machine_start(struct machine *machine, struct message *message) {
    pthread_mutex_lock(&machine->lock);
    machine->start_ns = monotonic();
    machine_note(machine, 0, "start", "");
    for (size_t at = 0; at < machine->domain_count; at += 1) log_power(machine, machine->domains[at]);
    bool good = true;
    for (size_t at = 0; good && at < machine->initial_count; at += 1) {
        good = action_run(machine, machine->initial[at].actions, 0, message);
    }
    pthread_mutex_unlock(&machine->lock);
    return good;
}

void machine_end(struct machine *machine, int status) {
    struct text line = {0};
    text_add(&line, "status %d", status);
    pthread_mutex_lock(&machine->lock);
    if (machine->start_ns != 0 && !line.failed) {
        machine_note(machine, machine_now(machine), "end", line.bytes);
    }
    machine->ended = true;
    pthread_mutex_unlock(&machine->lock);
    text_free(&line);
}

// The next moment of the plan, INT64_MAX at its end. `wave` gets the wave whose step it is.
static int64_t next_due(struct machine *machine, struct wave **wave) {
    int64_t due = INT64_MAX;
    *wave = NULL;
    if (machine->ended) return INT64_MAX;
    if (machine->next_event < machine->event_count) due = machine->events[machine->next_event].at_ns;
    for (size_t at = 0; at < machine->wave_count; at += 1) {
        if (machine->waves[at].next_ns >= due) continue;
        *wave = &machine->waves[at];
        due = (*wave)->next_ns;
    }
    return due;
}

int64_t machine_now(struct machine *machine) {
    if (machine->start_ns == 0) return 0;
    int64_t now_ns = monotonic() - machine->start_ns;
    struct wave *wave;
    for (int64_t due; (due = next_due(machine, &wave)) <= now_ns;) {
        struct message message;
        if (wave != NULL) {
            const struct wave_step *step = &wave->steps[wave->next];
            wave->next = (wave->next + 1) % wave->count;
            wave->next_ns += step->length_ns;
            if (machine_set_power(machine, due, &wave->domain, &step->microwatts, 1)) continue;
            refuse(&message, "out of memory");
        } else {
            struct event *event = &machine->events[machine->next_event++];
            if (action_run(machine, event->actions, due, &message)) continue;
        }
        machine_note(machine, due, "failed", message.text);
    }
    return now_ns;
}

void *machine_run_plan(void *context) {
    struct machine *machine = context;
    for (;;) {
        struct wave *wave;
        pthread_mutex_lock(&machine->lock);
        machine_now(machine);
        int64_t due = next_due(machine, &wave);
        pthread_mutex_unlock(&machine->lock);
        if (due == INT64_MAX) return NULL;
        due += machine->start_ns;
        struct timespec until = {due / 1000000000, due % 1000000000};
        // An early end, by a signal, only means one more round.
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
}

void machine_truth(struct machine *machine, struct text *into) {
    int64_t now_ns = machine_now(machine);
    text_add(into, "{\"t_ns\":%lld,\"domains\":{", (long long)(machine->start_ns + now_ns));
    for (size_t at = 0; at < machine->domain_count; at += 1) {
        const struct domain *domain = machine->domains[at];
        text_add(into, "%s\"%s\":{", at == 0 ? "" : ",", domain->name);
        add_energy(into, domain_energy(domain, now_ns));
        text_add(into, ",\"uw\":%lld}", (long long)domain_power(domain, now_ns));
    }
    text_add(into, "}}\n");
}
