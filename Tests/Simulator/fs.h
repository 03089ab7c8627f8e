// The machine's files through FUSE.
#pragma once

#include "machine.h"

struct fs;

/// Mounts the file system at a directory of this mount namespace. No request is answered yet.
struct fs *fs_mount(struct machine *machine, const char *directory, struct message *message);

/// The descriptor that keeps the file system alive: a child must close it.
int fs_descriptor(const struct fs *fs);

/// Starts the threads that answer.
bool fs_serve(struct fs *fs, struct message *message);
