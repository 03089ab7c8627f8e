// The files that the simulated machine has, by their paths below /sys.
#pragma once

#include "fault.h"
#include "sensor.h"

enum node_kind {
    NODE_DIRECTORY,
    NODE_LINK,
    /// A fixed text, changed by `set`, or by writing where the mode allows it.
    NODE_TEXT,
    NODE_SENSOR,
    /// The simulator's own files.
    NODE_CONTROL,
    NODE_TRUTH,
    NODE_LOG,
    NODE_ERROR,
};

struct node {
    enum node_kind kind;
    /// Its place among the tree's nodes; the root is 0.
    size_t index;
    /// Relative to /sys; the root's is empty.
    char *path;
    /// The last component of the path.
    const char *name;
    struct node *parent;
    struct node **children;
    size_t child_count;
    int64_t mode;
    /// A link's target, or a text with its line feed.
    char *text;
    struct sensor *sensor;
    struct fault fault;
};

struct tree {
    struct node **nodes;
    size_t count;
};

/// A tree of nothing but its root.
bool tree_begin(struct tree *tree, struct message *message);

/// Makes a node and the directories above it; links on the way are followed. NULL where it is there already,
/// where something on the way is no directory, and for a path that does not stay below /sys.
struct node *tree_add(struct tree *tree, const char *path, enum node_kind kind, struct message *message);

/// Makes a directory, or finds it.
struct node *tree_directory(struct tree *tree, const char *path, struct message *message);

struct node *tree_add_text(
    struct tree *tree, const char *path, const char *text, int64_t mode, struct message *message);

struct node *tree_add_link(struct tree *tree, const char *path, const char *target, struct message *message);

/// The node at a path, links followed except in the last component; NULL if there is none.
struct node *tree_find(struct tree *tree, const char *path);

struct node *node_child(const struct node *directory, const char *name);

/// What belongs to the machine: not the simulator's own files, and not the directory that holds them.
bool node_is_machine(const struct node *node);

/// Where the simulator's own files are.
#define CONTROL_DIRECTORY "class/simulator"
