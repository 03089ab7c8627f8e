// A line of a scenario or of the control file as words, and `key=value` among them.
#pragma once

#include "text.h"

struct word {
    char *text;
    /// Written in quotes: never a separator, whatever it holds.
    bool quoted;
};

struct words {
    struct word *items;
    size_t count;
};

/// Splits a line at blanks. `#` at the start of a word begins a comment, "..." is one word in which \" \\ \n
/// stand for a quote, a backslash and a line feed, and ; is a word of its own.
bool words_split(const char *line, size_t length, struct words *words, struct message *message);

void words_free(struct words *words);

/// Whether a word is the separator of actions.
bool is_separator(const struct word *word);

enum key_kind { KEY_TIME, KEY_DECIMAL, KEY_MODE };

/// One key that a declaration knows.
struct key {
    const char *name;
    enum key_kind kind;
    /// KEY_DECIMAL: the value is an integer of 10^-digits.
    int digits;
    /// Bounds of the integer that is stored.
    int64_t least;
    int64_t most;
    int64_t *value;
    bool *given;
};

/// Reads `key=value` words from `first` on; each key at most once.
bool parse_keys(
    const struct words *words, size_t first, const struct key *keys, size_t count, struct message *message);
