// The grammar of actions.
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "action.h"

/// The words of one action: its name, then its arguments.
struct arguments {
    const struct word *words;
    size_t count;
};

static bool expect(
    const struct arguments *arguments, size_t least, size_t most, const char *form, struct message *message) {
    if (arguments->count > least && arguments->count <= most + 1) return true;
    return refuse(message, "expected: %s", form);
}

static bool parse_power(
    struct machine *machine, struct action *action, const struct arguments *arguments,
    struct message *message) {
    if (arguments->count < 3 || arguments->count % 2 == 0) {
        return refuse(message, "expected: power DOMAIN WATTS [DOMAIN WATTS ...]");
    }
    action->domain_count = arguments->count / 2;
    action->domains = calloc(action->domain_count, sizeof *action->domains);
    action->microwatts = calloc(action->domain_count, sizeof *action->microwatts);
    if (action->domains == NULL || action->microwatts == NULL) return refuse(message, "out of memory");
    for (size_t at = 0; at < action->domain_count; at += 1) {
        const char *name = arguments->words[1 + 2 * at].text, *watts = arguments->words[2 + 2 * at].text;
        struct domain *domain = machine_domain(machine, name);
        if (domain == NULL) return refuse(message, "unknown domain '%.60s'", name);
        if (domain->members != NULL) {
            return refuse(message, "'%.60s' is a sum: set the power of its members", name);
        }
        if (!parse_decimal(watts, 6, &action->microwatts[at], message)) return false;
        if (action->microwatts[at] < 0 || action->microwatts[at] > MOST_MICROWATTS) {
            return refuse(message, "the power %.60s W is not between 0 and 10 MW", watts);
        }
        action->domains[at] = domain;
    }
    return true;
}

static bool parse_phase(
    struct machine *machine, struct action *action, const struct arguments *arguments,
    struct message *message) {
    if (!expect(arguments, 1, 1, "phase NAME", message)) return false;
    for (size_t at = 0; at < machine->phase_count; at += 1) {
        if (strcmp(machine->phases[at].name, arguments->words[1].text) != 0) continue;
        action->phase = machine->phases[at].actions;
        return true;
    }
    return refuse(message, "unknown phase '%.60s'", arguments->words[1].text);
}

static bool add_node(struct action *action, struct node *node, struct message *message) {
    struct node **nodes = array_more(action->nodes, action->node_count, sizeof *nodes);
    if (nodes == NULL) return refuse(message, "out of memory");
    action->nodes = nodes;
    nodes[action->node_count++] = node;
    return true;
}

static bool is_file(const struct node *node) {
    return (node->kind == NODE_TEXT || node->kind == NODE_SENSOR) && node_is_machine(node);
}

static struct node *find_file(struct machine *machine, const char *path, struct message *message) {
    struct node *node = tree_find(&machine->tree, path);
    if (node != NULL && is_file(node)) return node;
    refuse(message, "no file '%.200s'", path);
    return NULL;
}

// The same file by another name: below a link to a directory that it is in, as class/powercap/intel-rapl:0
// is.
static bool matches_below_link(
    struct machine *machine, const struct node *link, const struct node *node, const char *pattern) {
    struct text path = {0};
    text_add(&path, "%s/.", link->path);
    const struct node *directory = path.failed ? NULL : tree_find(&machine->tree, path.bytes);
    text_free(&path);
    size_t length = directory == NULL ? 0 : strlen(directory->path);
    if (length == 0 || strncmp(node->path, directory->path, length) != 0) return false;
    if (node->path[length] != '/') return false;
    text_add(&path, "%s%s", link->path, node->path + length);
    bool good = !path.failed && fnmatch(pattern, path.bytes, FNM_PATHNAME) == 0;
    text_free(&path);
    return good;
}

static bool matches(struct machine *machine, const struct node *node, const char *pattern) {
    if (fnmatch(pattern, node->path, FNM_PATHNAME) == 0) return true;
    for (size_t at = 1; at < machine->tree.count; at += 1) {
        const struct node *link = machine->tree.nodes[at];
        if (link->kind == NODE_LINK && matches_below_link(machine, link, node, pattern)) return true;
    }
    return false;
}

static bool match(
    struct machine *machine, struct action *action, const char *pattern, bool files_only,
    struct message *message) {
    if (strpbrk(pattern, "*?[\\") == NULL) {
        struct node *node = tree_find(&machine->tree, pattern);
        if (node != NULL && node_is_machine(node) && (!files_only || is_file(node))) {
            return add_node(action, node, message);
        }
        return refuse(message, "no file '%.200s'", pattern);
    }
    for (size_t at = 1; at < machine->tree.count; at += 1) {
        struct node *node = machine->tree.nodes[at];
        if (!node_is_machine(node) || (files_only && !is_file(node))) continue;
        if (matches(machine, node, pattern) && !add_node(action, node, message)) return false;
    }
    return action->node_count > 0 || refuse(message, "'%.200s' matches no file", pattern);
}

static bool parse_fault(
    struct machine *machine, struct action *action, const struct arguments *arguments,
    struct message *message) {
    if (!expect(arguments, 2, 3, "fault GLOB KIND [for=TIME]", message)) return false;
    const char *value;
    if (!fault_parse(arguments->words[2].text, &action->fault, &value, message)) return false;
    if (action->fault == FAULT_SLOW && !parse_time(value, &action->delay_ns, message)) return false;
    if (action->fault == FAULT_MIRRORED) {
        action->other = find_file(machine, value, message);
        if (action->other == NULL) return false;
    }
    if (action->fault == FAULT_SENTINEL) {
        action->text = strdup(value);
        if (action->text == NULL) return refuse(message, "out of memory");
    }
    action->number = INT64_MAX;
    if (arguments->count == 4) {
        const char *length = arguments->words[3].text;
        if (strncmp(length, "for=", 4) != 0) return refuse(message, "expected for=TIME, not '%.60s'", length);
        if (!parse_time(length + 4, &action->number, message)) return false;
    }
    return match(machine, action, arguments->words[1].text, action->fault != FAULT_MISSING, message);
}

static bool parse_set(
    struct machine *machine, struct action *action, const struct arguments *arguments,
    struct message *message) {
    if (!expect(arguments, 2, 2, "set PATH WORD", message)) return false;
    struct node *node = find_file(machine, arguments->words[1].text, message);
    if (node == NULL) return false;
    if (node->kind != NODE_TEXT) return refuse(message, "%.200s is a sensor: its domain sets it", node->path);
    struct text text = {0};
    text_add(&text, "%s\n", arguments->words[2].text);
    action->text = text.bytes;
    return text.failed ? refuse(message, "out of memory") : add_node(action, node, message);
}

static bool parse_counter(
    struct machine *machine, struct action *action, const struct arguments *arguments,
    struct message *message) {
    bool jump = action->kind == ACTION_JUMP;
    if (jump ? !expect(arguments, 2, 2, "jump PATH JOULES", message)
             : !expect(arguments, 1, 2, "reset PATH [MICROJOULES]", message)) {
        return false;
    }
    struct node *node = find_file(machine, arguments->words[1].text, message);
    if (node == NULL) return false;
    if (node->kind != NODE_SENSOR || !node->sensor->is_counter) {
        return refuse(message, "%.200s is no counter", node->path);
    }
    const char *number = arguments->count == 3 ? arguments->words[2].text : "0";
    if (!parse_decimal(number, jump ? 6 : 0, &action->number, message)) return false;
    return add_node(action, node, message);
}

static bool parse_clear(
    struct machine *machine, struct action *action, const struct arguments *arguments,
    struct message *message) {
    return expect(arguments, 1, 1, "clear GLOB", message)
           && match(machine, action, arguments->words[1].text, false, message);
}

typedef bool parser(
    struct machine *machine, struct action *action, const struct arguments *arguments,
    struct message *message);

static const struct {
    const char *name;
    enum action_kind kind;
    parser *parse;
} grammar[] = {
    {"power", ACTION_POWER, parse_power},   {"phase", ACTION_PHASE, parse_phase},
    {"set", ACTION_SET, parse_set},         {"jump", ACTION_JUMP, parse_counter},
    {"reset", ACTION_RESET, parse_counter}, {"fault", ACTION_FAULT, parse_fault},
    {"clear", ACTION_CLEAR, parse_clear},
};

bool action_is_known(const char *name) {
    for (size_t at = 0; at < sizeof grammar / sizeof *grammar; at += 1) {
        if (strcmp(grammar[at].name, name) == 0) return true;
    }
    return false;
}

static bool parse_one(
    struct machine *machine, struct action *action, const struct arguments *arguments,
    struct message *message) {
    struct text line = {0};
    for (size_t at = 0; at < arguments->count; at += 1) {
        text_add(&line, "%s%s", at == 0 ? "" : " ", arguments->words[at].text);
    }
    action->line = line.bytes;
    if (line.failed) return refuse(message, "out of memory");
    for (size_t at = 0; at < sizeof grammar / sizeof *grammar; at += 1) {
        if (strcmp(grammar[at].name, arguments->words[0].text) != 0) continue;
        action->kind = grammar[at].kind;
        return grammar[at].parse(machine, action, arguments, message);
    }
    return refuse(
        message, "unknown action '%.60s'; known are: " ACTION_NAMES, arguments->words[0].text);
}

struct action_list *action_parse(
    struct machine *machine, const struct words *words, size_t first, struct message *message) {
    struct action_list *list = calloc(1, sizeof *list);
    bool good = list != NULL || refuse(message, "out of memory");
    for (size_t at = first; good && at <= words->count;) {
        size_t end = at;
        while (end < words->count && !is_separator(&words->items[end])) end += 1;
        struct arguments arguments = {words->items + at, end - at};
        at = end + 1;
        if (arguments.count == 0) {
            good = refuse(message, "an action is missing");
            break;
        }
        struct action *items = array_more(list->items, list->count, sizeof *items);
        if (items == NULL) {
            good = refuse(message, "out of memory");
            break;
        }
        list->items = items;
        items[list->count] = (struct action){0};
        list->count += 1;
        good = parse_one(machine, &items[list->count - 1], &arguments, message);
    }
    if (good) return list;
    action_free(list);
    return NULL;
}
