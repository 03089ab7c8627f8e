#include "action.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"power", "phase", "set", "jump", "reset", "fault", "clear"};

static bool set_text(struct node *node, const char *text, struct message *message) {
    char *copy = strdup(text);
    if (copy == NULL) return refuse(message, "out of memory");
    free(node->text);
    node->text = copy;
    return true;
}

static void clear_fault(struct node *node) {
    free(node->fault.text);
    node->fault = (struct fault){0};
}

static bool set_fault(
    struct machine *machine, const struct action *action, struct node *node, int64_t now_ns,
    struct message *message) {
    struct fault fault = {
        .kind = action->fault, .until_ns = INT64_MAX, .delay_ns = action->delay_ns, .other = action->other};
    if (action->number < INT64_MAX - now_ns) fault.until_ns = now_ns + action->number;
    struct text text = {0};
    if (action->fault == FAULT_SENTINEL) {
        text_add(&text, "%s\n", action->text);
    } else if (action->fault == FAULT_FROZEN) {
        int error = machine_content(machine, node, now_ns, &text);
        if (error != 0) {
            text_free(&text);
            return refuse(message, "%.200s cannot freeze: %s", node->path, strerror(error));
        }
        // A file that was empty has no text yet.
        text_add(&text, "%s", "");
    }
    if (text.failed) {
        text_free(&text);
        return refuse(message, "out of memory");
    }
    clear_fault(node);
    fault.text = text.bytes;
    node->fault = fault;
    return true;
}

static bool run_one(
    struct machine *machine, const struct action *action, int64_t now_ns, struct message *message) {
    bool good = true;
    switch (action->kind) {
    case ACTION_POWER:
        good = machine_set_power(machine, now_ns, action->domains, action->microwatts, action->domain_count);
        if (!good) refuse(message, "out of memory");
        return good;
    case ACTION_PHASE:
        machine_note(machine, now_ns, names[action->kind], action->line);
        return action_run(machine, action->phase, now_ns, message);
    case ACTION_SET: good = set_text(action->nodes[0], action->text, message); break;
    case ACTION_JUMP:
        // 10^-6 J is 10^9 fJ.
        good = sensor_jump(
            action->nodes[0]->sensor, now_ns, (femtojoules)action->number * 1000000000, message);
        break;
    case ACTION_RESET: good = sensor_reset(action->nodes[0]->sensor, now_ns, action->number, message); break;
    case ACTION_FAULT:
        for (size_t at = 0; good && at < action->node_count; at += 1) {
            good = set_fault(machine, action, action->nodes[at], now_ns, message);
        }
        break;
    case ACTION_CLEAR:
        for (size_t at = 0; at < action->node_count; at += 1) clear_fault(action->nodes[at]);
        break;
    }
    if (good) machine_note(machine, now_ns, names[action->kind], action->line);
    return good;
}

bool action_run(
    struct machine *machine, const struct action_list *list, int64_t now_ns, struct message *message) {
    for (size_t at = 0; at < list->count; at += 1) {
        if (!run_one(machine, &list->items[at], now_ns, message)) return false;
    }
    return true;
}

void action_free(struct action_list *list) {
    if (list == NULL) return;
    for (size_t at = 0; at < list->count; at += 1) {
        struct action *action = &list->items[at];
        free(action->line);
        free(action->domains);
        free(action->microwatts);
        free(action->nodes);
        free(action->text);
    }
    free(list->items);
    free(list);
}
