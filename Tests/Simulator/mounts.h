// The private mount namespace: what of /sys is replaced, and what stays.
#pragma once

#include "tree.h"

/// Makes a mount namespace of its own for this process and its children, and in it the directory MOUNT_STAGE.
bool mounts_unshare(struct message *message);

/// Where the machine's file system is mounted until all of it is in its places.
#define MOUNT_STAGE "/tmp/machine"

/// Puts the file system mounted at the stage into its places in /sys: whole directories where they are the
/// machine's alone; elsewhere a copy, made of mounts and links, is laid over the real directory, since
/// sysfs takes no new entries. The stage is gone afterwards. Another process must be serving the file
/// system, or this one could not be killed while it waits for itself.
bool mounts_place(const struct tree *tree, struct message *message);

/// Makes the directories that every scenario has, so that nothing of the real machine shows in them.
bool mounts_add_directories(struct tree *tree, struct message *message);
