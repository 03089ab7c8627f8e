#include "lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// In two steps: in a sticky directory the kernel refuses O_CREAT for a file of another user
// (proc_sys_fs(5), protected_regular). O_NONBLOCK: a pipe in the file's place must not make us wait.
static int open_or_make(const char *path) {
    enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, TRIES = 8 };
    for (int turn = 0; turn < TRIES; turn++) {
        int fd = open(path, FLAGS);
        if (fd >= 0) return fd;
        if (errno != ENOENT) return -errno;
        fd = open(path, FLAGS | O_CREAT | O_EXCL, 0644);
        if (fd >= 0) {
            // The umask may have hidden it from others, who then could only say that they cannot tell.
            (void)fchmod(fd, 0644);
            return fd;
        }
        if (errno != EEXIST) return -errno;
    }
    return -EAGAIN;
}

// Tells of everybody who opens the file from now on. Through our own descriptor: the path may have changed.
static int watch_opening(int fd) {
    char own[32];
    int length = snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    if (length < 0 || (size_t)length >= sizeof own) return -1;
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch >= 0 && inotify_add_watch(watch, own, IN_OPEN) < 0) {
        (void)close(watch);
        watch = -1;
    }
    return watch;
}

int chost_lock_was_tried(const chost_lock *lock) {
    if (lock->watch < 0) return -ENOSYS;
    char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t count;
    do {
        count = read(lock->watch, events, sizeof events);
    } while (count < 0 && errno == EINTR);
    if (count > 0) return 1;
    return count == 0 || errno == EAGAIN ? 0 : -errno;
}

int chost_lock_take(const char *path, chost_lock *lock) {
    lock->fd = -1;
    lock->watch = -1;
    int fd = open_or_make(path);
    if (fd < 0) return fd;
    struct stat info;
    int result = 0;
    if (fstat(fd, &info) < 0) {
        result = -errno;
    } else if (!S_ISREG(info.st_mode) || info.st_nlink != 1) {
        result = -EINVAL;
    }
    if (result < 0) {
        (void)close(fd);
        return result;
    }
    lock->inode = info.st_ino;
    lock->major = major(info.st_dev);
    lock->minor = minor(info.st_dev);
    int locked;
    do {
        locked = flock(fd, LOCK_EX | LOCK_NB);
    } while (locked < 0 && errno == EINTR);
    if (locked == 0) {
        lock->fd = fd;
        lock->watch = watch_opening(fd);
        return 1;
    }
    result = errno == EWOULDBLOCK ? 0 : -errno;
    (void)close(fd);
    return result;
}
