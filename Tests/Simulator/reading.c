// What a file holds at a moment, its fault included.
#include <errno.h>

#include "machine.h"

enum fault_kind machine_fault(const struct node *node, int64_t now_ns) {
    for (const struct node *above = node->parent; above != NULL; above = above->parent) {
        if (above->fault.kind == FAULT_MISSING && now_ns < above->fault.until_ns) return FAULT_MISSING;
    }
    return now_ns < node->fault.until_ns ? node->fault.kind : FAULT_NONE;
}

int machine_content(struct machine *machine, struct node *node, int64_t now_ns, struct text *into) {
    int64_t value;
    switch (node->kind) {
    case NODE_TEXT: text_add(into, "%s", node->text); break;
    case NODE_SENSOR:
        if (!sensor_value(node->sensor, now_ns, &value)) return ENOMEM;
        text_add(into, "%lld\n", (long long)value);
        break;
    case NODE_TRUTH: machine_truth(machine, into); break;
    case NODE_ERROR:
        if (machine->error.text[0] != '\0') text_add(into, "%s\n", machine->error.text);
        break;
    default: break;
    }
    return 0;
}

int machine_read(struct machine *machine, struct node *node, int64_t now_ns, struct text *into) {
    enum fault_kind kind = machine_fault(node, now_ns);
    int error = fault_read_error(kind);
    if (error != 0) return error;
    switch (kind) {
    case FAULT_EMPTY: break;
    // Begins like a number, so that a reader which stops at the first letter is found out.
    case FAULT_GARBAGE: text_add(into, "17#\xff garbage\n"); break;
    case FAULT_FROZEN:
    case FAULT_SENTINEL: text_add(into, "%s", node->fault.text); break;
    case FAULT_MIRRORED: error = machine_content(machine, node->fault.other, now_ns, into); break;
    default: error = machine_content(machine, node, now_ns, into); break;
    }
    return into->failed ? ENOMEM : error;
}
