// Starting a command of the user's: everything of the caller's is the command's too.
#pragma once
#include <stdint.h>
#include <sys/types.h>

/// A program and what it gets beside what it inherits.
typedef struct {
    /// Path of the program, or a name that is looked for in PATH. No shell is involved.
    const char *name;
    /// argv, ended by NULL; the first entry is the program's name for itself.
    char *const *arguments;
    /// The whole environment as KEY=VALUE, ended by NULL.
    char *const *environment;
    /// Becomes its standard output; -1 leaves it the caller's.
    int output_fd;
} chost_command_request;

/// A started command.
typedef struct {
    pid_t pid;
    /// A descriptor of the process (pidfd_open(2), Linux 5.3), close-on-exec; readable once it has ended.
    int pidfd;
    /// CLOCK_MONOTONIC just before it was started.
    uint64_t started_ns;
} chost_command;

/// Ignores SIGPIPE in this program from now on: a closed pipe is then an error of the write. Whether it was ignored
/// before the first call is kept for the commands that are started. \returns 0 or -errno.
int chost_ignore_pipe_signal(void);

/// Starts a command in the caller's process group, so that a terminal's ^C reaches it, with the caller's
/// descriptors and working directory, and returns once its program runs (posix_spawnp(3)).
///
/// No signal is blocked in it, and signals are ignored if the caller was started so (nohup(1)): also SIGPIPE,
/// which this program ignores for itself (`chost_ignore_pipe_signal`).
/// \returns 0; or -errno and no child left behind: -ENOENT where there is no such program, -EACCES or -ENOEXEC
/// where it cannot be executed.
int chost_command_start(const chost_command_request *request, chost_command *command);
