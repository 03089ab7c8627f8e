// What FUSE asks about names and directories.
#ifdef SIMULATOR_FUSE

#include <errno.h>
#include <stdlib.h>

#include "fs_operations.h"

static struct stat describe(const struct node *node) {
    static const mode_t types[] = {[NODE_DIRECTORY] = S_IFDIR, [NODE_LINK] = S_IFLNK};
    bool is_file = node->kind != NODE_DIRECTORY && node->kind != NODE_LINK;
    return (struct stat){
        .st_ino = node->index + 1,
        .st_mode = (is_file ? S_IFREG : types[node->kind]) | (mode_t)node->mode,
        .st_nlink = node->kind == NODE_DIRECTORY ? 2 : 1,
        // As sysfs says of every attribute; procfs, like the simulator's own files, says 0.
        .st_size = is_file && node_is_machine(node) ? 4096 : 0,
    };
}

void fs_lookup(fuse_req_t request, fuse_ino_t number, const char *name) {
    struct node *parent = node_of(request, number);
    struct node *node = parent == NULL ? NULL : node_child(parent, name);
    // Nothing is cached: a file may go missing at any moment.
    struct fuse_entry_param entry = {.attr_timeout = 0, .entry_timeout = 0};
    if (node == NULL || fault_now(request, node) == FAULT_MISSING) {
        fuse_reply_err(request, ENOENT);
        return;
    }
    entry.ino = node->index + 1;
    entry.attr = describe(node);
    fuse_reply_entry(request, &entry);
}

void fs_getattr(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info) {
    (void)info;
    struct node *node = node_of(request, number);
    // A file that is asked about here was found by name or is open, which it stays. Only a directory that
    // is the root of a mount is not looked up first.
    if (node == NULL || (node->kind == NODE_DIRECTORY && fault_now(request, node) == FAULT_MISSING)) {
        fuse_reply_err(request, ENOENT);
        return;
    }
    struct stat facts = describe(node);
    fuse_reply_attr(request, &facts, 0);
}

// A shell truncates what it writes to: for files like these that means nothing, and nothing else is allowed.
void fs_setattr(
    fuse_req_t request, fuse_ino_t number, struct stat *facts, int what, struct fuse_file_info *info) {
    (void)facts;
    if ((what & ~(FUSE_SET_ATTR_SIZE | FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_CTIME)) != 0) {
        fuse_reply_err(request, EPERM);
        return;
    }
    fs_getattr(request, number, info);
}

void fs_readlink(fuse_req_t request, fuse_ino_t number) {
    struct node *node = node_of(request, number);
    if (node == NULL || node->kind != NODE_LINK) {
        fuse_reply_err(request, EINVAL);
    } else {
        fuse_reply_readlink(request, node->text);
    }
}

// Offsets are places in the list of children, so that a listing may be read in pieces.
void fs_readdir(
    fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *info) {
    (void)info;
    struct node *node = node_of(request, number);
    char *buffer = node == NULL ? NULL : malloc(size);
    size_t used = 0;
    if (buffer == NULL) {
        fuse_reply_err(request, node == NULL ? ENOENT : ENOMEM);
        return;
    }
    for (size_t at = (size_t)offset; at < node->child_count + 2; at += 1) {
        const struct node *entry = at == 0 || node->parent == NULL ? node : node->parent;
        if (at >= 2) {
            entry = node->children[at - 2];
            if (fault_now(request, entry) == FAULT_MISSING) continue;
        }
        struct stat facts = describe(entry);
        size_t length = fuse_add_direntry(
            request, buffer + used, size - used, at == 0 ? "." : at == 1 ? ".." : entry->name, &facts,
            (off_t)at + 1);
        if (length > size - used) break;
        used += length;
    }
    fuse_reply_buf(request, buffer, used);
    free(buffer);
}

void fs_opendir(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info) {
    struct node *node = node_of(request, number);
    if (node == NULL || fault_now(request, node) == FAULT_MISSING) {
        fuse_reply_err(request, ENOENT);
    } else {
        fuse_reply_open(request, info);
    }
}

#endif
