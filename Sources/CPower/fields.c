#include "fields.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct span {
    const char *at;
    const char *end;
};

struct cpower_field cpower_field_whole(void) { return (struct cpower_field){.place = 0, .columns = 1}; }

int cpower_field_line(const char *prefix, uint32_t columns, struct cpower_field *field) {
    size_t length = strlen(prefix);
    *field = (struct cpower_field){.place = 1, .columns = columns};
    if (length > sizeof field->prefix) return ENAMETOOLONG;
    memcpy(field->prefix, prefix, length);
    field->prefix_length = (uint8_t)length;
    return 0;
}

struct cpower_field cpower_field_after_name(uint32_t columns) {
    return (struct cpower_field){.place = 2, .columns = columns};
}

struct cpower_field cpower_field_word(uint32_t index) {
    return (struct cpower_field){.place = 3, .columns = index};
}

struct cpower_field cpower_field_hexadecimal(void) { return (struct cpower_field){.place = 4}; }

int cpower_field_is(const char *state, struct cpower_field *field) {
    int error = cpower_field_line(state, 0, field);
    field->place = 5;
    return error;
}

static bool blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

static void skip_blanks(struct span *text) {
    while (text->at < text->end && blank(*text->at)) text->at += 1;
}

static struct span next_column(struct span *line) {
    skip_blanks(line);
    struct span column = {line->at, line->at};
    while (line->at < line->end && !blank(*line->at)) line->at += 1;
    column.end = line->at;
    return column;
}

static int parse_decimal(struct span digits, int64_t *value) {
    bool negative = digits.at < digits.end && *digits.at == '-';
    if (negative) digits.at += 1;
    if (digits.at == digits.end) return EBADMSG;
    int64_t sum = 0;
    bool overflow = false;
    for (; digits.at < digits.end; digits.at += 1) {
        int digit = *digits.at - '0';
        if (digit < 0 || digit > 9) return EBADMSG;
        overflow |= __builtin_mul_overflow(sum, (int64_t)10, &sum);
        overflow |= __builtin_add_overflow(sum, (int64_t)(negative ? -digit : digit), &sum);
    }
    if (overflow) return ERANGE;
    *value = sum;
    return 0;
}

// The one word of the text; ENODATA when there is none, EBADMSG when there are more.
static int only_word(struct span text, struct span *word) {
    skip_blanks(&text);
    if (text.at == text.end) return ENODATA;
    *word = next_column(&text);
    skip_blanks(&text);
    return text.at == text.end ? 0 : EBADMSG;
}

static int parse_whole(struct span text, int64_t *value) {
    struct span number;
    int error = only_word(text, &number);
    return error != 0 ? error : parse_decimal(number, value);
}

static int hexadecimal_digit(char byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
    return -1;
}

static int parse_hexadecimal(struct span text, int64_t *value) {
    struct span digits;
    int error = only_word(text, &digits);
    if (error != 0) return error;
    if (digits.end - digits.at > 2 && digits.at[0] == '0' && (digits.at[1] | 0x20) == 'x') digits.at += 2;
    int64_t sum = 0;
    for (; digits.at < digits.end; digits.at += 1) {
        int digit = hexadecimal_digit(*digits.at);
        if (digit < 0) return EBADMSG;
        if (sum > (INT64_MAX >> 4)) return ERANGE;
        sum = sum << 4 | digit;
    }
    *value = sum;
    return 0;
}

static int parse_state(struct span text, const struct cpower_field *field, int64_t *value) {
    while (text.at < text.end && blank(*text.at)) text.at += 1;
    while (text.end > text.at && blank(text.end[-1])) text.end -= 1;
    if (text.at == text.end) return ENODATA;
    *value = text.end - text.at == field->prefix_length &&
             memcmp(text.at, field->prefix, field->prefix_length) == 0;
    return 0;
}

static int sum_columns(struct span line, uint32_t columns, int64_t *value) {
    int64_t sum = 0;
    for (; columns != 0; columns >>= 1) {
        struct span column = next_column(&line);
        if (column.at == column.end) return ENODATA;
        if ((columns & 1) == 0) continue;
        const char *sign = memchr(column.at, '=', (size_t)(column.end - column.at));
        if (sign != NULL) column.at = sign + 1;
        int64_t number = 0;
        int error = parse_decimal(column, &number);
        if (error != 0) return error;
        if (__builtin_add_overflow(sum, number, &sum)) return ERANGE;
    }
    *value = sum;
    return 0;
}

static int parse_word(struct span bytes, uint32_t index, int64_t *value) {
    uint64_t word;
    if ((size_t)(bytes.end - bytes.at) / sizeof word <= index) return ENODATA;
    memcpy(&word, bytes.at + index * sizeof word, sizeof word);
    if (word > INT64_MAX) return ERANGE;
    *value = (int64_t)word;
    return 0;
}

static struct span line_at(const char *at, const char *end) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return (struct span){at, newline != NULL ? newline : end};
}

static int parse_line(struct span text, const struct cpower_field *field, int64_t *value) {
    while (text.at < text.end) {
        struct span line = line_at(text.at, text.end);
        size_t length = (size_t)(line.end - line.at);
        if (length >= field->prefix_length && memcmp(line.at, field->prefix, field->prefix_length) == 0) {
            line.at += field->prefix_length;
            return sum_columns(line, field->columns, value);
        }
        text.at = line.end < text.end ? line.end + 1 : text.end;
    }
    return ENODATA;
}

int cpower_field_parse(const char *text, size_t length, const struct cpower_field *field, int64_t *value) {
    struct span whole = {text, text + length};
    switch (field->place) {
    case 0: return parse_whole(whole, value);
    case 1: return parse_line(whole, field, value);
    case 2: {
        const char *name_end = memrchr(text, ')', length);
        if (name_end == NULL) return ENODATA;
        return sum_columns(line_at(name_end + 1, whole.end), field->columns, value);
    }
    case 3: return parse_word(whole, field->columns, value);
    case 4: return parse_hexadecimal(whole, value);
    case 5: return parse_state(whole, field, value);
    default: return EINVAL;
    }
}
