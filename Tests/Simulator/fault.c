#include "fault.h"

#include <errno.h>
#include <string.h>

static const struct {
    const char *name;
    enum fault_kind kind;
    bool has_value;
    int open_error;
    int read_error;
} kinds[] = {
    {"eacces", FAULT_EACCES, false, EACCES, EACCES},
    {"eio", FAULT_EIO, false, 0, EIO},
    // kernfs answers so once a device is gone (Linux, fs/kernfs/file.c, kernfs_get_active).
    {"enodev", FAULT_ENODEV, false, 0, ENODEV},
    {"enoent", FAULT_ENOENT, false, ENOENT, ENOENT},
    {"frozen", FAULT_FROZEN, false, 0, 0},
    {"garbage", FAULT_GARBAGE, false, 0, 0},
    {"empty", FAULT_EMPTY, false, 0, 0},
    {"slow", FAULT_SLOW, true, 0, 0},
    {"sentinel", FAULT_SENTINEL, true, 0, 0},
    {"missing", FAULT_MISSING, false, ENOENT, ENODEV},
    {"mirrored", FAULT_MIRRORED, true, 0, 0},
};

#define KINDS (sizeof kinds / sizeof *kinds)

bool fault_parse(const char *word, enum fault_kind *kind, const char **value, struct message *message) {
    const char *sign = strchr(word, '=');
    size_t length = sign == NULL ? strlen(word) : (size_t)(sign - word);
    char known[160] = "";
    for (size_t at = 0; at < KINDS; at += 1) {
        if (strlen(kinds[at].name) == length && memcmp(kinds[at].name, word, length) == 0) {
            if (kinds[at].has_value && sign == NULL) {
                return refuse(message, "the fault '%s' needs a value: %s=...", word, word);
            }
            if (!kinds[at].has_value && sign != NULL) {
                return refuse(message, "the fault '%s' takes no value", kinds[at].name);
            }
            *kind = kinds[at].kind;
            *value = sign == NULL ? NULL : sign + 1;
            return true;
        }
        if (at > 0) strncat(known, ", ", sizeof known - strlen(known) - 1);
        strncat(known, kinds[at].name, sizeof known - strlen(known) - 1);
    }
    return refuse(message, "unknown fault '%.60s'; known are: %s", word, known);
}

int fault_open_error(enum fault_kind kind) {
    for (size_t at = 0; at < KINDS; at += 1) {
        if (kinds[at].kind == kind) return kinds[at].open_error;
    }
    return 0;
}

int fault_read_error(enum fault_kind kind) {
    for (size_t at = 0; at < KINDS; at += 1) {
        if (kinds[at].kind == kind) return kinds[at].read_error;
    }
    return 0;
}
