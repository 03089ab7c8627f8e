// Small files of sysfs and procfs: bounded, never blocking on what is not a file, errno returned.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Opens a regular file for reading: O_CLOEXEC, and O_NONBLOCK so that a pipe in its place cannot block.
/// Returns the descriptor, or -errno; -EISDIR for a directory, -ENOTSUP for anything else that is not a file.
int cpower_open(const char *path);

/// Closes a descriptor. Returns 0 or errno.
int cpower_close(int descriptor);

/// Reads the file afresh from its start: pread(2) at offset 0 makes sysfs and procfs compute it anew.
/// Returns the number of bytes, or -errno. A file that fills the buffer is cut after its last whole line, since
/// a number cut in two would be a wrong number.
ssize_t cpower_read_start(int descriptor, char *buffer, size_t capacity);

/// Opens, reads from the start and closes. Returns as `cpower_read_start`.
ssize_t cpower_read_file(const char *path, char *buffer, size_t capacity);

/// Writes the names in a directory, each ended by NUL, into `names`; "." and ".." are left out.
/// `count` gets how many were written, `omitted` how many found no room (in names or in `most`); counting
/// stops at 1,000,000 entries. Order is the file system's. Returns 0 or errno.
int cpower_list(
    const char *path, char *names, size_t capacity, size_t most, size_t *count, size_t *omitted);
