// Messages, growing text and exact decimal numbers: what every other part is written with.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Why something was refused. One line, without a line feed.
struct message {
    char text[512];
};

/// Writes the message and returns false, so that a check can be `return refuse(...)`.
bool refuse(struct message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Text that grows. After a failed allocation `failed` is set and nothing more is added.
struct text {
    char *bytes;
    size_t length;
    size_t capacity;
    bool failed;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Adds a JSON string, quotes included.
void text_add_json(struct text *text, const char *string);

void text_free(struct text *text);

/// Makes room for one more item behind `count`; the array moves when `count` is a power of two. Returns the
/// array, or NULL when memory is short (the old array is still there then).
void *array_more(void *items, size_t count, size_t size);

/// A decimal number as an exact integer of 10^-digits: "85.5" with 6 digits is 85,500,000. More digits behind
/// the point, an exponent or anything else is refused.
bool parse_decimal(const char *word, int digits, int64_t *value, struct message *message);

/// A length of time in nanoseconds: `5`, `5s`, `250ms`, `50us`, `10ns`, `0.3s`.
bool parse_time(const char *word, int64_t *nanoseconds, struct message *message);
