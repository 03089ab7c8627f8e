// A program of the user's that tells readings on its standard output: started, and ended with all it started.
#pragma once

#include <stddef.h>
#include <sys/types.h>

/// Writes the path of a program: `name` itself when it has a '/', else the first of PATH that can be executed.
/// Returns 0, or ENOENT, EACCES or ENAMETOOLONG.
int cpower_find_program(const char *name, char *path, size_t capacity);

struct cpower_helper {
    /// The id of its guardian, and of the process group that holds both and what the program starts.
    pid_t pid;
    /// Non-blocking read end of the program's standard output.
    int output;
    /// As long as a process holds this end of a pipe, the guardian lets the group live. Close-on-exec.
    int life;
};

/// Starts `path` with `arguments` (ended by NULL, the first is its own name).
///
/// It runs in a process group of its own, so that a terminal's ^C does not reach it, under a guardian: a process of
/// ours that kills the whole group once `life` is closed, by this program or because it has ended, however that
/// came about (kill -9 included), and that ends as the program has ended. The program gets SIGKILL when the
/// guardian dies. Out of reach is what leaves the group (setsid(2)), and what a program that has ended by itself
/// has left behind, once this program is killed too. Standard input and standard error are /dev/null; no other
/// descriptor, no blocked or ignored signal is inherited. Returns 0, or errno of what failed, of the exec too.
int cpower_helper_start(const char *path, char *const *arguments, struct cpower_helper *helper);

/// Sends a signal to the whole group. Returns 0 or errno; ESRCH when nobody is left.
int cpower_helper_signal(const struct cpower_helper *helper, int signal);

/// Asks without waiting whether it has ended, and with it its guardian. Returns 1, with the exit status or the signal (else -1 and 0), and it
/// is then gone for good; 0 while it runs; or -errno.
int cpower_helper_ended(const struct cpower_helper *helper, int *status, int *signal);

/// Reads what has arrived. Returns the number of bytes, 0 at the end, or -errno; -EAGAIN when nothing has.
ssize_t cpower_helper_read(const struct cpower_helper *helper, char *buffer, size_t capacity);

/// Waits until one of two descriptors can be read, at most `timeout_ms`. Returns 0 or errno; EINTR counts as 0.
int cpower_wait_readable(int first, int second, int timeout_ms);
