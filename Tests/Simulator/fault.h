// Faults of single files: what they do instead of what they should.
#pragma once

#include "text.h"

enum fault_kind {
    FAULT_NONE,
    FAULT_EACCES,
    FAULT_EIO,
    FAULT_ENODEV,
    FAULT_ENOENT,
    /// The text of the moment at which the fault began, for ever.
    FAULT_FROZEN,
    FAULT_GARBAGE,
    FAULT_EMPTY,
    /// Each read takes so much longer.
    FAULT_SLOW,
    FAULT_SENTINEL,
    /// Neither listed nor found; open descriptors fail as those of a removed device.
    FAULT_MISSING,
    /// Shows what another file shows.
    FAULT_MIRRORED,
};

struct node;

struct fault {
    enum fault_kind kind;
    /// Nanoseconds since the start.
    int64_t until_ns;
    int64_t delay_ns;
    char *text;
    struct node *other;
};

/// The kind of a word such as `eio`, and what stands behind its `=` (NULL without). Refuses unknown words,
/// and a value where none belongs or is missing.
bool fault_parse(const char *word, enum fault_kind *kind, const char **value, struct message *message);

/// The errno that opening or reading gives; 0 if it works. Errors of a read strike open descriptors too.
int fault_open_error(enum fault_kind kind);
int fault_read_error(enum fault_kind kind);
