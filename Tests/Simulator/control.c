#include "control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "action.h"

bool control_add_files(struct machine *machine, struct message *message) {
    static const struct {
        const char *path;
        enum node_kind kind;
        int64_t mode;
    } files[] = {
        // COMMAND may run as another user.
        {CONTROL_DIRECTORY "/control", NODE_CONTROL, 0222},
        {CONTROL_DIRECTORY "/truth", NODE_TRUTH, 0444},
        {CONTROL_DIRECTORY "/log", NODE_LOG, 0444},
        {CONTROL_DIRECTORY "/error", NODE_ERROR, 0444},
    };
    for (size_t at = 0; at < sizeof files / sizeof *files; at += 1) {
        struct node *node = tree_add(&machine->tree, files[at].path, files[at].kind, message);
        if (node == NULL) return false;
        node->mode = files[at].mode;
    }
    return true;
}

/// What the lines of one write do, in their order.
struct program {
    struct action_list **lists;
    size_t count;
};

static bool add_line(
    struct machine *machine, struct program *program, const char *line, size_t length,
    struct message *message) {
    struct words words;
    if (!words_split(line, length, &words, message)) return false;
    if (words.count == 0) {
        words_free(&words);
        return true;
    }
    struct action_list *list = action_parse(machine, &words, 0, message);
    words_free(&words);
    if (list == NULL) return false;
    struct action_list **lists = array_more(program->lists, program->count, sizeof *lists);
    if (lists == NULL) {
        action_free(list);
        return refuse(message, "out of memory");
    }
    program->lists = lists;
    lists[program->count++] = list;
    return true;
}

static bool parse(
    struct machine *machine, struct program *program, const char *bytes, size_t length,
    struct message *message) {
    struct message cause;
    for (size_t number = 1; length > 0; number += 1) {
        const char *feed = memchr(bytes, '\n', length);
        size_t line = feed == NULL ? length : (size_t)(feed - bytes);
        if (!add_line(machine, program, bytes, line, &cause)) {
            return refuse(message, "line %zu: %.450s", number, cause.text);
        }
        line += feed != NULL;
        bytes += line;
        length -= line;
    }
    return true;
}

int control_write(struct machine *machine, const char *bytes, size_t length) {
    struct program program = {0};
    struct message message = {""};
    // Names never change after the start, so that reading them needs no lock.
    bool good = parse(machine, &program, bytes, length, &message);
    pthread_mutex_lock(&machine->lock);
    int64_t now_ns = machine_now(machine);
    for (size_t at = 0; good && at < program.count; at += 1) {
        good = action_run(machine, program.lists[at], now_ns, &message);
    }
    if (!good) machine->error = message;
    pthread_mutex_unlock(&machine->lock);
    for (size_t at = 0; at < program.count; at += 1) action_free(program.lists[at]);
    free(program.lists);
    return good ? 0 : EINVAL;
}
