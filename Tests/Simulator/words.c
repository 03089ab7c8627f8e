#include "words.h"

#include <stdlib.h>
#include <string.h>

static bool blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\v'; }

// One quoted word, from behind its first quote; returns the place behind its last.
static const char *quoted(const char *at, const char *end, char *into, struct message *message) {
    for (; at < end && *at != '"'; at += 1) {
        if (*at == '\\' && at + 1 < end) {
            at += 1;
            if (*at != 'n' && *at != '"' && *at != '\\') {
                refuse(message, "\\%c in quotes: only \\n, \\\" and \\\\ mean something", *at);
                return NULL;
            }
            *into++ = *at == 'n' ? '\n' : *at;
        } else {
            *into++ = *at;
        }
    }
    *into = '\0';
    if (at < end) return at + 1;
    refuse(message, "a quote is not closed");
    return NULL;
}

static const char *next_word(
    const char *at, const char *end, struct word *word, struct message *message) {
    word->quoted = *at == '"';
    word->text = calloc(1, (size_t)(end - at) + 1);
    if (word->text == NULL) {
        refuse(message, "out of memory");
        return NULL;
    }
    if (word->quoted) {
        at = quoted(at + 1, end, word->text, message);
        if (at == NULL || at == end || blank(*at) || *at == ';') return at;
        refuse(message, "a blank is missing behind a closing quote");
        return NULL;
    }
    size_t length = 0;
    if (*at == ';') length = 1;
    while (at + length < end && !blank(at[length]) && at[length] != ';') {
        if (at[length] == '"') {
            refuse(message, "a quote inside a word; quotes enclose whole words");
            return NULL;
        }
        length += 1;
    }
    if (*at == ';') length = 1;
    memcpy(word->text, at, length);
    return at + length;
}

bool words_split(const char *line, size_t length, struct words *words, struct message *message) {
    *words = (struct words){0};
    if (memchr(line, '\0', length) != NULL) return refuse(message, "the line holds a NUL byte");
    const char *at = line, *end = line + length;
    for (;;) {
        while (at < end && blank(*at)) at += 1;
        if (at == end || *at == '#') return true;
        struct word *items = array_more(words->items, words->count, sizeof *items);
        if (items == NULL) {
            words_free(words);
            return refuse(message, "out of memory");
        }
        words->items = items;
        words->count += 1;
        at = next_word(at, end, &items[words->count - 1], message);
        if (at == NULL) {
            words_free(words);
            return false;
        }
    }
}

void words_free(struct words *words) {
    for (size_t at = 0; at < words->count; at += 1) free(words->items[at].text);
    free(words->items);
    *words = (struct words){0};
}

bool is_separator(const struct word *word) { return !word->quoted && strcmp(word->text, ";") == 0; }

static bool parse_mode(const char *word, int64_t *mode, struct message *message) {
    char *end;
    long value = strtol(word, &end, 8);
    if (*word < '0' || *word > '7' || *end != '\0' || value > 0777) {
        return refuse(message, "'%.60s' is not an octal mode such as 0444", word);
    }
    *mode = value;
    return true;
}

static bool set_key(const struct key *key, const char *word, struct message *message) {
    int64_t value = 0;
    bool good = key->kind == KEY_TIME   ? parse_time(word, &value, message)
                : key->kind == KEY_MODE ? parse_mode(word, &value, message)
                                        : parse_decimal(word, key->digits, &value, message);
    if (!good) return false;
    if (key->kind != KEY_MODE && (value < key->least || value > key->most)) {
        return refuse(message, "%s=%.60s is out of bounds", key->name, word);
    }
    *key->value = value;
    if (key->given != NULL) *key->given = true;
    return true;
}

static bool refuse_key(
    const char *word, int length, const struct key *keys, size_t count, struct message *message) {
    char known[256] = "";
    for (size_t at = 0; at < count; at += 1) {
        if (at > 0) strncat(known, ", ", sizeof known - strlen(known) - 1);
        strncat(known, keys[at].name, sizeof known - strlen(known) - 1);
    }
    return refuse(message, "unknown key '%.*s'; known are: %s", length < 60 ? length : 60, word, known);
}

static bool is_key(const struct key *key, const char *word, size_t length) {
    return strlen(key->name) == length && memcmp(key->name, word, length) == 0;
}

bool parse_keys(
    const struct words *words, size_t first, const struct key *keys, size_t count, struct message *message) {
    uint64_t seen = 0;
    for (size_t at = first; at < words->count; at += 1) {
        char *word = words->items[at].text;
        char *sign = strchr(word, '=');
        size_t length = sign == NULL ? strlen(word) : (size_t)(sign - word), found = 0;
        while (found < count && !is_key(&keys[found], word, length)) found += 1;
        if (found == count) return refuse_key(word, (int)length, keys, count, message);
        if (sign == NULL) return refuse(message, "'%.60s' needs a value: %s=...", word, word);
        if (seen & (UINT64_C(1) << found)) {
            return refuse(message, "the key '%s' is given twice", keys[found].name);
        }
        seen |= UINT64_C(1) << found;
        if (!set_key(&keys[found], sign + 1, message)) return false;
    }
    return true;
}
