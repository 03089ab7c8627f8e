#include "fs.h"

#ifndef SIMULATOR_FUSE

bool fs_is_built(struct message *message) {
    return refuse(
        message, "built without libfuse3: install libfuse3-dev and build with --traits Simulator, or use "
                 "scripts/simulate, which does both");
}

bool fs_mount(struct fs *fs, struct machine *machine, const char *directory, struct message *message) {
    (void)fs;
    (void)machine;
    (void)directory;
    return fs_is_built(message);
}

bool fs_serve(struct fs *fs, struct message *message) {
    (void)fs;
    return fs_is_built(message);
}

#else

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "fs_operations.h"

// A slow read holds its thread: so many may be under way at once before anything else waits.
#define THREADS 24

struct machine *machine_of(fuse_req_t request) { return fuse_req_userdata(request); }

struct node *node_of(fuse_req_t request, fuse_ino_t number) {
    struct tree *tree = &machine_of(request)->tree;
    return number >= 1 && number <= tree->count ? tree->nodes[number - 1] : NULL;
}

enum fault_kind fault_now(fuse_req_t request, const struct node *node) {
    struct machine *machine = machine_of(request);
    pthread_mutex_lock(&machine->lock);
    enum fault_kind kind = machine_fault(node, machine_now(machine));
    pthread_mutex_unlock(&machine->lock);
    return kind;
}

static const struct fuse_lowlevel_ops operations = {
    .lookup = fs_lookup,
    .getattr = fs_getattr,
    .setattr = fs_setattr,
    .readlink = fs_readlink,
    .opendir = fs_opendir,
    .readdir = fs_readdir,
    .open = fs_open,
    .release = fs_release,
    .read = fs_read,
    .write = fs_write,
};

// mount(2) by hand rather than by libfuse, which may start a helper program.
static int mount_at(const char *directory, struct message *message) {
    int descriptor = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (descriptor < 0) {
        refuse(
            message, "/dev/fuse: %s; it needs root, and the kernel module fuse (modprobe fuse)",
            strerror(errno));
        return -1;
    }
    struct text options = {0};
    text_add(
        &options, "fd=%d,rootmode=40755,user_id=%u,group_id=%u,default_permissions,allow_other", descriptor,
        getuid(), getgid());
    int flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    bool good = !options.failed && mount("simulator", directory, "fuse", flags, options.bytes) == 0;
    if (!good) refuse(message, "cannot mount FUSE at %s: %s", directory, strerror(errno));
    text_free(&options);
    if (good) return descriptor;
    close(descriptor);
    return -1;
}

bool fs_is_built(struct message *message) {
    (void)message;
    return true;
}

bool fs_mount(struct fs *fs, struct machine *machine, const char *directory, struct message *message) {
    static char name[] = "simulator";
    char *words[] = {name, NULL};
    struct fuse_args arguments = FUSE_ARGS_INIT(1, words);
    fs->session = fuse_session_new(&arguments, &operations, sizeof operations, machine);
    fuse_opt_free_args(&arguments);
    if (fs->session == NULL) return refuse(message, "libfuse refuses the session");
    fs->descriptor = mount_at(directory, message);
    if (fs->descriptor < 0) return false;
    char mounted[32];
    if (snprintf(mounted, sizeof mounted, "/dev/fd/%d", fs->descriptor) > 0
        && fuse_session_mount(fs->session, mounted) == 0) {
        return true;
    }
    return refuse(message, "libfuse does not take the mounted descriptor");
}

static void *serve(void *context) {
    struct fuse_session *session = context;
    struct fuse_buf buffer = {0};
    while (!fuse_session_exited(session)) {
        int length = fuse_session_receive_buf(session, &buffer);
        if (length == -EINTR || length == -EAGAIN) continue;
        if (length <= 0) break;
        fuse_session_process_buf(session, &buffer);
    }
    free(buffer.mem);
    return NULL;
}

bool fs_serve(struct fs *fs, struct message *message) {
    for (int at = 0; at < THREADS; at += 1) {
        pthread_t thread;
        int error = pthread_create(&thread, NULL, serve, fs->session);
        if (error != 0) return refuse(message, "cannot start a thread: %s", strerror(error));
        (void)pthread_detach(thread);
    }
    return true;
}

#endif
