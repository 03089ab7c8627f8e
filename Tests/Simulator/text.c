#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool refuse(struct message *message, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int length = vsnprintf(message->text, sizeof message->text, format, values);
    va_end(values);
    if (length < 0) message->text[0] = '\0';
    return false;
}

static bool make_room(struct text *text, size_t more) {
    if (text->failed) return false;
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity) return true;
    size_t capacity = text->capacity < 128 ? 256 : text->capacity * 2;
    if (capacity < needed) capacity = needed;
    char *bytes = realloc(text->bytes, capacity);
    text->failed = bytes == NULL;
    if (text->failed) return false;
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void text_add(struct text *text, const char *format, ...) {
    for (int attempt = 0; attempt < 2; attempt += 1) {
        if (!make_room(text, 0)) return;
        size_t room = text->capacity - text->length;
        va_list values;
        va_start(values, format);
        int length = vsnprintf(text->bytes + text->length, room, format, values);
        va_end(values);
        if (length < 0) return;
        if ((size_t)length < room) {
            text->length += (size_t)length;
            return;
        }
        text->bytes[text->length] = '\0';
        if (!make_room(text, (size_t)length)) return;
    }
}

void text_add_json(struct text *text, const char *string) {
    text_add(text, "\"");
    for (const char *at = string; *at != '\0'; at += 1) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '"' || byte == '\\') {
            text_add(text, "\\%c", byte);
        } else if (byte < 0x20 || byte >= 0x7f) {
            // Bytes beyond ASCII may be no UTF-8, which JSON demands: each becomes the character of its
            // number.
            text_add(text, "\\u%04x", byte);
        } else {
            text_add(text, "%c", byte);
        }
    }
    text_add(text, "\"");
}

void text_free(struct text *text) {
    free(text->bytes);
    *text = (struct text){0};
}

void *array_more(void *items, size_t count, size_t size) {
    if ((count & (count - 1)) != 0) return items;
    return realloc(items, (count == 0 ? 1 : count * 2) * size);
}

// The digits up to the first byte that is none; `end` gets that byte.
static bool parse_scaled(const char *word, int digits, int64_t *value, const char **end) {
    bool negative = *word == '-';
    const char *at = negative ? word + 1 : word;
    int64_t sum = 0;
    int behind = -1;
    bool any = false;
    for (; (*at >= '0' && *at <= '9') || (*at == '.' && behind < 0); at += 1) {
        if (*at == '.') {
            behind = 0;
            continue;
        }
        if (behind >= digits) return false;
        behind += behind >= 0;
        any = true;
        int digit = negative ? '0' - *at : *at - '0';
        if (__builtin_mul_overflow(sum, (int64_t)10, &sum) || __builtin_add_overflow(sum, digit, &sum)) {
            return false;
        }
    }
    for (int missing = digits - (behind < 0 ? 0 : behind); missing > 0; missing -= 1) {
        if (__builtin_mul_overflow(sum, (int64_t)10, &sum)) return false;
    }
    *value = sum;
    *end = at;
    return any;
}

bool parse_decimal(const char *word, int digits, int64_t *value, struct message *message) {
    const char *end;
    if (parse_scaled(word, digits, value, &end) && *end == '\0') return true;
    if (digits == 0) return refuse(message, "'%.60s' is not a whole number that fits", word);
    return refuse(message, "'%.60s' is not a number with at most %d decimals that fits", word, digits);
}

bool parse_time(const char *word, int64_t *nanoseconds, struct message *message) {
    static const struct {
        const char *name;
        int digits;
    } units[] = {{"", 9}, {"s", 9}, {"ms", 6}, {"us", 3}, {"ns", 0}};
    const char *letters = word + strspn(word, "-.0123456789");
    for (size_t unit = 0; unit < sizeof units / sizeof *units; unit += 1) {
        const char *end;
        if (strcmp(letters, units[unit].name) != 0) continue;
        if (!parse_scaled(word, units[unit].digits, nanoseconds, &end) || end != letters) break;
        if (*nanoseconds < 0) return refuse(message, "the time '%.60s' is negative", word);
        return true;
    }
    return refuse(message, "'%.60s' is not a time; one is 5, 5s, 250ms, 50us or 10ns", word);
}
