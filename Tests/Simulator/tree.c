#include "tree.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// As the kernel's own limit for links on one path.
static const int MOST_LINKS = 40;

struct node *node_child(const struct node *directory, const char *name) {
    for (size_t at = 0; at < directory->child_count; at += 1) {
        if (strcmp(directory->children[at]->name, name) == 0) return directory->children[at];
    }
    return NULL;
}

static struct node *add_child(
    struct tree *tree, struct node *parent, const char *name, enum node_kind kind, struct message *message) {
    size_t room = (parent == NULL ? 0 : strlen(parent->path) + 1) + strlen(name) + 1;
    struct node *node = calloc(1, sizeof *node);
    char *path = malloc(room);
    struct node **nodes = array_more(tree->nodes, tree->count, sizeof *nodes);
    if (nodes != NULL) tree->nodes = nodes;
    struct node **children = NULL;
    if (parent != NULL) {
        children = array_more(parent->children, parent->child_count, sizeof *children);
        if (children != NULL) parent->children = children;
    }
    if (node == NULL || path == NULL || nodes == NULL || (parent != NULL && children == NULL)) {
        free(node);
        free(path);
        refuse(message, "out of memory");
        return NULL;
    }
    path[0] = '\0';
    if (parent != NULL && parent->path[0] != '\0') {
        strcat(path, parent->path);
        strcat(path, "/");
    }
    node->name = path + strlen(path);
    strcat(path, name);
    node->kind = kind;
    node->path = path;
    node->parent = parent;
    node->index = tree->count;
    node->mode = kind == NODE_DIRECTORY ? 0755 : kind == NODE_LINK ? 0777 : 0444;
    if (parent != NULL) children[parent->child_count++] = node;
    nodes[tree->count++] = node;
    return node;
}

bool tree_begin(struct tree *tree, struct message *message) {
    return add_child(tree, NULL, "", NODE_DIRECTORY, message) != NULL;
}

// Walks from a directory along a path. `make` makes what is not there directories; the last component is then
// one too, and without it a link there is not followed.
static struct node *walk(
    struct tree *tree, struct node *from, const char *path, bool make, int *links, struct message *message) {
    struct node *here = from;
    while (here != NULL && *path != '\0') {
        size_t length = strcspn(path, "/");
        char name[NAME_MAX + 1];
        if (length == 0 || length > NAME_MAX || here->kind != NODE_DIRECTORY) {
            refuse(message, "'%.200s' is not a path of directories", path);
            return NULL;
        }
        memcpy(name, path, length);
        name[length] = '\0';
        path += length + (path[length] == '/');
        if (strcmp(name, ".") == 0) continue;
        if (strcmp(name, "..") == 0) {
            here = here->parent;
            continue;
        }
        struct node *child = node_child(here, name);
        if (child == NULL && make) child = add_child(tree, here, name, NODE_DIRECTORY, message);
        if (child != NULL && child->kind == NODE_LINK && (make || *path != '\0')) {
            if (*links == 0 || child->text[0] == '/') {
                refuse(message, "the link %.200s leads nowhere here", child->path);
                return NULL;
            }
            *links -= 1;
            child = walk(tree, here, child->text, make, links, message);
        }
        here = child;
    }
    return here;
}

static bool is_plain(const char *path, struct message *message) {
    if (*path == '\0' || *path == '/' || strlen(path) >= PATH_MAX / 2) {
        return refuse(message, "'%.200s' is not a path relative to /sys", path);
    }
    for (const char *at = path; *at != '\0'; at += strcspn(at, "/"), at += *at == '/') {
        size_t length = strcspn(at, "/");
        bool dots = length <= 2 && strspn(at, ".") >= length;
        if (length == 0 || dots) {
            return refuse(message, "'%.200s' holds an empty name, '.' or '..'", path);
        }
    }
    if (path[strlen(path) - 1] == '/') return refuse(message, "'%.200s' ends with a slash", path);
    return true;
}

struct node *tree_directory(struct tree *tree, const char *path, struct message *message) {
    int links = MOST_LINKS;
    if (!is_plain(path, message)) return NULL;
    struct node *node = walk(tree, tree->nodes[0], path, true, &links, message);
    if (node == NULL || node->kind == NODE_DIRECTORY) return node;
    refuse(message, "%.200s is there already and no directory", path);
    return NULL;
}

struct node *tree_add(struct tree *tree, const char *path, enum node_kind kind, struct message *message) {
    if (!is_plain(path, message)) return NULL;
    const char *slash = strrchr(path, '/');
    struct node *parent = tree->nodes[0];
    if (slash != NULL) {
        char *above = strndup(path, (size_t)(slash - path));
        if (above == NULL) {
            refuse(message, "out of memory");
            return NULL;
        }
        parent = tree_directory(tree, above, message);
        free(above);
        if (parent == NULL) return NULL;
    }
    const char *name = slash == NULL ? path : slash + 1;
    if (strlen(name) > NAME_MAX) {
        refuse(message, "the name '%.60s...' is too long", name);
        return NULL;
    }
    if (node_child(parent, name) != NULL) {
        refuse(message, "%.200s is there already", path);
        return NULL;
    }
    return add_child(tree, parent, name, kind, message);
}

struct node *tree_find(struct tree *tree, const char *path) {
    int links = MOST_LINKS;
    struct message ignored;
    return walk(tree, tree->nodes[0], path, false, &links, &ignored);
}

struct node *tree_add_text(
    struct tree *tree, const char *path, const char *text, int64_t mode, struct message *message) {
    struct node *node = tree_add(tree, path, NODE_TEXT, message);
    if (node == NULL) return NULL;
    struct text line = {0};
    text_add(&line, "%s\n", text);
    node->text = line.bytes;
    node->mode = mode;
    if (!line.failed) return node;
    refuse(message, "out of memory");
    return NULL;
}

struct node *tree_add_link(struct tree *tree, const char *path, const char *target, struct message *message) {
    char *text = strdup(target);
    struct node *node = tree_add(tree, path, NODE_LINK, message);
    if (node != NULL && text != NULL && *text != '\0') {
        node->text = text;
        return node;
    }
    free(text);
    if (node != NULL) refuse(message, "the link has no target");
    return NULL;
}

bool node_is_machine(const struct node *node) {
    size_t length = strlen(CONTROL_DIRECTORY);
    return strncmp(node->path, CONTROL_DIRECTORY, length) != 0
           || (node->path[length] != '/' && node->path[length] != '\0');
}
