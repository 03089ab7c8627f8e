// The machine's files through FUSE.
#pragma once

#include "machine.h"

/// Whether this build has FUSE; `message` says how to get it if not.
bool fs_is_built(struct message *message);

struct fs {
    struct fuse_session *session;
    /// Keeps the file system alive: a child must close it.
    int descriptor;
};

/// Mounts the file system at a directory of this mount namespace. No request is answered yet.
bool fs_mount(struct fs *fs, struct machine *machine, const char *directory, struct message *message);

/// Starts the threads that answer.
bool fs_serve(struct fs *fs, struct message *message);
