// A lock that all users of a machine share: a file whose lock dies with its holder.
#pragma once
#include <stdint.h>

/// A lock file that is open, and who it is for /proc/locks (proc_locks(5)).
typedef struct {
    /// Keep it open for as long as the lock is meant to last; -1 where it is not ours.
    int fd;
    /// Tells who opens the file while the lock is ours (inotify(7)); -1 where that cannot be watched.
    int watch;
    uint64_t inode;
    unsigned major, minor;
} chost_lock;

/// Takes the lock of the file, which is made where it is missing, readable for everybody.
///
/// The lock is flock(2)'s: the kernel gives it back when its holder ends, however that was. The file may lie
/// in a directory where everybody may write: no link is followed, nothing but a plain file with one name is
/// locked, nothing is written to it and it is never removed. A file of another user is opened for reading,
/// which is all that a lock needs.
/// \returns 1 when the lock is ours, 0 when another holds it, or -errno: -ELOOP for a link, -EINVAL for what
/// is no plain file, -EACCES for a file that may not be read.
int chost_lock_take(const char *path, chost_lock *lock);

/// Whether anybody else opened the file of a lock that is ours since it was taken or asked about last: another
/// `sustain` that found it held.
/// \returns 1 or 0, or -errno: -ENOSYS where it is not watched.
int chost_lock_was_tried(const chost_lock *lock);
