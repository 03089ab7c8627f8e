// The simulated machine: its domains, its files, its plan and its clock, under one lock.
#pragma once

#include "log.h"
#include "tree.h"

struct action_list;

/// A named list of actions.
struct phase {
    char *name;
    struct action_list *actions;
};

/// Actions of one moment.
struct event {
    int64_t at_ns;
    struct action_list *actions;
};

struct wave_step {
    int64_t microwatts;
    int64_t length_ns;
};

/// Power that repeats from the start on.
struct wave {
    struct domain *domain;
    struct wave_step *steps;
    size_t count;
    size_t next;
    int64_t next_ns;
};

struct machine {
    /// Held for one change or one reading, never while waiting.
    pthread_mutex_t lock;
    /// CLOCK_MONOTONIC of the start; 0 before it.
    int64_t start_ns;
    /// Nothing more of the plan happens.
    bool ended;
    struct domain **domains;
    size_t domain_count;
    struct tree tree;
    struct phase *phases;
    size_t phase_count;
    /// In order of time.
    struct event *events;
    size_t event_count;
    size_t next_event;
    struct wave *waves;
    size_t wave_count;
    /// What the scenario does before COMMAND starts.
    struct event *initial;
    size_t initial_count;
    struct log log;
    /// Why the last line of the control file was refused.
    struct message error;
};

bool machine_begin(struct machine *machine, const char *log_path, struct message *message);

/// The beginning of time: the first lines of the log, and the scenario's own actions. The lock is not held.
bool machine_start(struct machine *machine, struct message *message);

/// The end of time, told by the last line of the log. The lock is not held.
void machine_end(struct machine *machine, int status);

struct domain *machine_domain(struct machine *machine, const char *name);

/// Does all that is due and returns the moment, in nanoseconds since the start. The lock is held.
int64_t machine_now(struct machine *machine);

/// Sets the power of some domains at once, and of the sums they are in. The lock is held.
bool machine_set_power(
    struct machine *machine, int64_t now_ns, struct domain *const *domains, const int64_t *microwatts,
    size_t count);

/// Logs that something happened. The lock is held.
void machine_note(struct machine *machine, int64_t now_ns, const char *event, const char *line);

/// Does what the plan holds, each thing when it is due, until the plan's end. Runs in a thread of its own
/// only so that the log is on time: whoever reads does what is due before.
void *machine_run_plan(void *machine);

/// The exact energy of every domain now, as JSON. The lock is held.
void machine_truth(struct machine *machine, struct text *into);

/// What a file holds at a moment that is not before any earlier one, without any fault; returns 0 or errno.
/// The lock is held.
int machine_content(struct machine *machine, struct node *node, int64_t now_ns, struct text *into);

/// What a reader gets: the content, or what the file's fault makes of it. The lock is held.
int machine_read(struct machine *machine, struct node *node, int64_t now_ns, struct text *into);

/// The fault that a file has at a moment; FAULT_MISSING where a directory above it is missing.
enum fault_kind machine_fault(const struct node *node, int64_t now_ns);
