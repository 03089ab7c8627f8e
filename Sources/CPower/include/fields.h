// Numbers in what a read gave, the text of sysfs and procfs files for the most: parsed in place, without
// allocation.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Where a number stands in what was read. Make one with the functions below.
struct cpower_field {
    /// 0: the whole text is one number. 1: in the first line that begins with `prefix`.
    /// 2: after the last ')' (proc_pid_stat(5): the command name in parentheses may hold anything).
    /// 3: no text at all: 64-bit words of the machine's byte order; `columns` is the index of one of them.
    /// 4: the whole text is one hexadecimal number. 5: whether the whole text is `prefix`.
    uint8_t place;
    uint8_t prefix_length;
    char prefix[30];
    /// Bit i: column i counts, 0 being the first after the prefix. Columns are parted by blanks, `name=number`
    /// counts as the number, and those chosen are added up.
    uint32_t columns;
};

/// The whole text is one decimal number, with blanks around it at most.
struct cpower_field cpower_field_whole(void);

/// Columns of the first line that begins with `prefix`, which stands for itself, colon and blank included.
/// Returns 0, or ENAMETOOLONG when the prefix does not fit.
int cpower_field_line(const char *prefix, uint32_t columns, struct cpower_field *field);

/// Columns after the last ')'.
struct cpower_field cpower_field_after_name(uint32_t columns);

/// The unsigned 64-bit word at `index`, as perf_event_open(2) descriptors are read.
struct cpower_field cpower_field_word(uint32_t index);

/// The whole text is one hexadecimal number, with or without "0x".
struct cpower_field cpower_field_hexadecimal(void);

/// 1 when the whole text is the word or words `state`, 0 for any other text. Returns as `cpower_field_line`.
int cpower_field_is(const char *state, struct cpower_field *field);

/// Parses the field out of what was read. Returns 0 and sets `value`, or
/// ENODATA: nothing was read, or the line, column or word is not there;
/// EBADMSG: what stands there is not a decimal number;
/// ERANGE: the number or the sum is beyond 64 signed bits.
int cpower_field_parse(const char *text, size_t length, const struct cpower_field *field, int64_t *value);
