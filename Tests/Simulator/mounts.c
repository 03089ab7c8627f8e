#include "mounts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

// Present everywhere, and nobody in this namespace reads it before the mounts are in their places.
#define BASE "/tmp"

// Where a real directory stays reachable while its copy is made.
#define ASIDE BASE "/aside"

static const char *const always[] = {
    "class/powercap", "class/hwmon", "class/power_supply", "class/thermal", CONTROL_DIRECTORY,
};

// Replaced whole where the scenario has anything in them.
static const char *const whole[] = {
    "devices/virtual/powercap",
    "devices/virtual/hwmon",
    "devices/virtual/thermal",
    "devices/system/cpu/cpufreq",
};

static bool is_whole(const struct node *node) {
    for (size_t at = 0; at < sizeof always / sizeof *always; at += 1) {
        if (strcmp(node->path, always[at]) == 0) return true;
    }
    for (size_t at = 0; at < sizeof whole / sizeof *whole; at += 1) {
        if (strcmp(node->path, whole[at]) == 0) return true;
    }
    return false;
}

bool mounts_add_directories(struct tree *tree, struct message *message) {
    for (size_t at = 0; at < sizeof always / sizeof *always; at += 1) {
        if (tree_directory(tree, always[at], message) == NULL) return false;
    }
    return true;
}

bool mounts_unshare(struct message *message) {
    if (unshare(CLONE_NEWNS) != 0) {
        return refuse(
            message, "cannot make a mount namespace: %s; it needs root (CAP_SYS_ADMIN)", strerror(errno));
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        return refuse(message, "cannot make the mounts private: %s", strerror(errno));
    }
    if (mount("simulator", BASE, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755,size=64k") != 0) {
        return refuse(message, "cannot mount tmpfs at %s: %s", BASE, strerror(errno));
    }
    if (mkdir(MOUNT_STAGE, 0755) == 0 && mkdir(ASIDE, 0755) == 0) return true;
    return refuse(message, "cannot make a directory in %s: %s", BASE, strerror(errno));
}

static bool join(char *into, const char *directory, const char *name, struct message *message) {
    int length = snprintf(into, PATH_MAX, "%s%s%s", directory, *name == '\0' ? "" : "/", name);
    return (length > 0 && length < PATH_MAX) || refuse(message, "a path is too long: %.60s...", directory);
}

static bool bind(const char *from, const char *to, struct message *message) {
    if (mount(from, to, NULL, MS_BIND | MS_REC, NULL) == 0) return true;
    return refuse(message, "cannot mount %.200s at %.200s: %s", from, to, strerror(errno));
}

static bool make_place(const char *path, mode_t type, struct message *message) {
    int made = S_ISDIR(type) ? mkdir(path, 0755) : mknod(path, S_IFREG | 0444, 0);
    return made == 0 || refuse(message, "cannot make %.300s: %s", path, strerror(errno));
}

// One real entry, in the copy of its directory.
static bool keep(const char *copy, const char *name, struct message *message) {
    char from[PATH_MAX], to[PATH_MAX], target[PATH_MAX];
    struct stat facts;
    if (!join(from, ASIDE, name, message) || !join(to, copy, name, message)) return false;
    if (lstat(from, &facts) != 0) return refuse(message, "%.300s: %s", from, strerror(errno));
    if (!S_ISLNK(facts.st_mode)) return make_place(to, facts.st_mode, message) && bind(from, to, message);
    ssize_t length = readlink(from, target, sizeof target - 1);
    if (length >= 0) {
        target[length] = '\0';
        if (symlink(target, to) == 0) return true;
    }
    return refuse(message, "cannot copy the link %.300s: %s", from, strerror(errno));
}

// An entry of the scenario, in the copy of its directory.
static bool put(const struct node *node, const char *copy, struct message *message) {
    char from[PATH_MAX], to[PATH_MAX];
    if (!join(from, MOUNT_STAGE, node->path, message) || !join(to, copy, node->name, message)) return false;
    if (node->kind == NODE_LINK) {
        if (symlink(node->text, to) == 0) return true;
        return refuse(message, "cannot make the link %.300s: %s", to, strerror(errno));
    }
    mode_t type = node->kind == NODE_DIRECTORY ? S_IFDIR : S_IFREG;
    return make_place(to, type, message) && bind(from, to, message);
}

// Whether a real directory and the scenario's both show.
static bool merges(const struct node *node, const char *real) {
    struct stat facts;
    if (node->kind != NODE_DIRECTORY || is_whole(node)) return false;
    return lstat(real, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static bool lay_over(const struct node *node, struct message *message);

static bool copy_entries(
    const struct node *node, const char *copy, DIR *entries, struct message *message) {
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(entries);
        if (entry == NULL) break;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char real[PATH_MAX];
        const struct node *child = node_child(node, entry->d_name);
        if (!join(real, ASIDE, entry->d_name, message)) return false;
        if (child != NULL && !merges(child, real)) continue;
        if (!keep(copy, entry->d_name, message)) return false;
    }
    if (errno != 0) return refuse(message, "cannot list %.300s: %s", copy, strerror(errno));
    for (size_t at = 0; at < node->child_count; at += 1) {
        char real[PATH_MAX];
        const struct node *child = node->children[at];
        if (!join(real, ASIDE, child->name, message)) return false;
        if (!(merges(child, real) ? lay_over(child, message) : put(child, copy, message))) return false;
    }
    return true;
}

// Lays a copy over a real directory, and over those in it that the scenario adds to. Mounts stack, so that
// all of them can use the one place aside.
static bool lay_over(const struct node *node, struct message *message) {
    char real[PATH_MAX];
    if (!join(real, "/sys", node->path, message) || !bind(real, ASIDE, message)) return false;
    if (mount("simulator", real, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755,size=1m") != 0) {
        return refuse(message, "cannot mount tmpfs at %.300s: %s", real, strerror(errno));
    }
    DIR *entries = opendir(ASIDE);
    if (entries == NULL) return refuse(message, "cannot list %.300s: %s", real, strerror(errno));
    bool good = copy_entries(node, real, entries, message);
    if (closedir(entries) != 0 && good) good = refuse(message, "%.300s: %s", real, strerror(errno));
    if (good && umount2(ASIDE, MNT_DETACH) != 0) {
        good = refuse(message, "cannot unmount %s: %s", ASIDE, strerror(errno));
    }
    if (good && mount(NULL, real, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0) {
        good = refuse(message, "cannot make %.300s read-only: %s", real, strerror(errno));
    }
    return good;
}

bool mounts_place(const struct tree *tree, struct message *message) {
    const struct node *root = tree->nodes[0];
    for (size_t at = 0; at < root->child_count; at += 1) {
        const struct node *child = root->children[at];
        char real[PATH_MAX];
        struct stat facts;
        if (!join(real, "/sys", child->path, message)) return false;
        if (child->kind != NODE_DIRECTORY || lstat(real, &facts) != 0) {
            return refuse(message, "%.200s: files can only be in a directory that /sys has", child->path);
        }
        if (!lay_over(child, message)) return false;
    }
    if (umount2(BASE, MNT_DETACH) == 0) return true;
    return refuse(message, "cannot unmount %s: %s", BASE, strerror(errno));
}
