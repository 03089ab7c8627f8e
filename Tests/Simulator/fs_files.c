// What FUSE asks about open files.
#ifdef SIMULATOR_FUSE

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "control.h"
#include "fs_operations.h"

/// An open file: what it showed when it was last read from its start, so that a reader who needs several
/// reads sees one text, as with sysfs.
struct handle {
    pthread_mutex_t lock;
    struct text shown;
};

void fs_open(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info) {
    struct node *node = node_of(request, number);
    int error = node == NULL ? ENOENT : fault_open_error(fault_now(request, node));
    bool writes = (info->flags & O_ACCMODE) != O_RDONLY;
    // Root passes every mode, and yet writes to no file of sysfs that cannot be written.
    if (error == 0 && writes && (node->mode & 0222) == 0) error = EACCES;
    struct handle *handle = error == 0 ? calloc(1, sizeof *handle) : NULL;
    if (handle == NULL) {
        fuse_reply_err(request, error != 0 ? error : ENOMEM);
        return;
    }
    handle->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    info->fh = (uintptr_t)handle;
    info->direct_io = 1;
    if (fuse_reply_open(request, info) == -ENOENT) free(handle);
}

void fs_release(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *info) {
    (void)number;
    struct handle *handle = (struct handle *)(uintptr_t)info->fh;
    text_free(&handle->shown);
    free(handle);
    fuse_reply_err(request, 0);
}

// Waits as long as the fault `slow` says; EINTR if the reader was sent a signal meanwhile.
static int wait_if_slow(fuse_req_t request, const struct node *node) {
    static const int64_t LOOK_EVERY = 5000000;
    struct machine *machine = machine_of(request);
    pthread_mutex_lock(&machine->lock);
    int64_t now_ns = machine_now(machine);
    int64_t until_ns = now_ns;
    if (machine_fault(node, now_ns) == FAULT_SLOW) until_ns += node->fault.delay_ns;
    pthread_mutex_unlock(&machine->lock);
    while (now_ns < until_ns) {
        now_ns = until_ns - now_ns < LOOK_EVERY ? until_ns : now_ns + LOOK_EVERY;
        int64_t wake = machine->start_ns + now_ns;
        struct timespec until = {wake / 1000000000, wake % 1000000000};
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        if (fuse_req_interrupted(request)) return EINTR;
    }
    return 0;
}

static void read_log(fuse_req_t request, size_t size, off_t offset) {
    size_t length;
    char *copy = log_copy(&machine_of(request)->log, (size_t)offset, size, &length);
    if (copy == NULL) {
        fuse_reply_err(request, ENOMEM);
    } else {
        fuse_reply_buf(request, copy, length);
    }
    free(copy);
}

void fs_read(
    fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *info) {
    struct machine *machine = machine_of(request);
    struct node *node = node_of(request, number);
    struct handle *handle = (struct handle *)(uintptr_t)info->fh;
    if (node->kind == NODE_LOG) {
        read_log(request, size, offset);
        return;
    }
    int error = offset == 0 ? wait_if_slow(request, node) : 0;
    pthread_mutex_lock(&handle->lock);
    if (error == 0 && offset == 0) {
        text_free(&handle->shown);
        pthread_mutex_lock(&machine->lock);
        error = machine_read(machine, node, machine_now(machine), &handle->shown);
        pthread_mutex_unlock(&machine->lock);
    }
    size_t from = (size_t)offset < handle->shown.length ? (size_t)offset : handle->shown.length;
    size_t length = handle->shown.length - from < size ? handle->shown.length - from : size;
    char *copy = error == 0 ? malloc(length + 1) : NULL;
    if (copy != NULL && length > 0) memcpy(copy, handle->shown.bytes + from, length);
    pthread_mutex_unlock(&handle->lock);
    // Once the reader has its answer it may close the file, and the handle is gone.
    if (copy == NULL) {
        fuse_reply_err(request, error != 0 ? error : ENOMEM);
    } else {
        fuse_reply_buf(request, copy, length);
    }
    free(copy);
}

// As the kernel's attributes do, a text takes what one write(2) holds.
static int write_text(fuse_req_t request, struct node *node, const char *bytes, size_t size) {
    struct machine *machine = machine_of(request);
    size_t length = size > 0 && bytes[size - 1] == '\n' ? size - 1 : size;
    struct text text = {0};
    if (memchr(bytes, '\0', length) != NULL) return EINVAL;
    text_add(&text, "%.*s\n", (int)length, bytes);
    if (text.failed) {
        text_free(&text);
        return ENOMEM;
    }
    pthread_mutex_lock(&machine->lock);
    int64_t now_ns = machine_now(machine);
    int error = fault_read_error(machine_fault(node, now_ns));
    if (error == 0) {
        machine_note(machine, now_ns, "written", node->path);
        free(node->text);
        node->text = text.bytes;
    }
    pthread_mutex_unlock(&machine->lock);
    if (error != 0) text_free(&text);
    return error;
}

void fs_write(
    fuse_req_t request, fuse_ino_t number, const char *bytes, size_t size, off_t offset,
    struct fuse_file_info *info) {
    (void)offset;
    (void)info;
    struct node *node = node_of(request, number);
    int error = node->kind == NODE_CONTROL ? control_write(machine_of(request), bytes, size)
                : node->kind == NODE_TEXT  ? write_text(request, node, bytes, size)
                                           : EACCES;
    if (error != 0) {
        fuse_reply_err(request, error);
    } else {
        fuse_reply_write(request, size);
    }
}

#endif
