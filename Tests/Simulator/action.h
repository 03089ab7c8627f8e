// What a line of a scenario or of the control file does.
#pragma once

#include "machine.h"
#include "words.h"

enum action_kind {
    ACTION_POWER,
    ACTION_PHASE,
    ACTION_SET,
    ACTION_JUMP,
    ACTION_RESET,
    ACTION_FAULT,
    ACTION_CLEAR,
};

/// One action, all of whose names are found and numbers read.
struct action {
    enum action_kind kind;
    /// As it was written.
    char *line;
    struct domain **domains;
    int64_t *microwatts;
    size_t domain_count;
    /// `phase`: what its definition holds.
    const struct action_list *phase;
    /// The files that it concerns.
    struct node **nodes;
    size_t node_count;
    /// `set`: the text with its line feed; `fault`: the sentinel.
    char *text;
    /// `jump`: microjoules; `reset`: the value; `fault`: how long, or INT64_MAX.
    int64_t number;
    enum fault_kind fault;
    int64_t delay_ns;
    struct node *other;
};

#define ACTION_NAMES "power, phase, set, jump, reset, fault, clear"

bool action_is_known(const char *name);

struct action_list {
    struct action *items;
    size_t count;
};

/// Reads the words from `first` on as actions with `;` between them; NULL and a message where one is wrong.
struct action_list *action_parse(
    struct machine *machine, const struct words *words, size_t first, struct message *message);

void action_free(struct action_list *list);

/// Does all of a list at one moment and logs it. Stops at the first that cannot be done, with a message. The
/// machine's lock is held.
bool action_run(
    struct machine *machine, const struct action_list *list, int64_t now_ns, struct message *message);
