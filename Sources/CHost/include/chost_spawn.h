// Starting a worker: its own process group, dying with its parent, nothing inherited but what is named.
// (Not "spawn.h": this folder is searched before the system's, whose <spawn.h> would be hidden.)
#pragma once
#include <sys/types.h>

/// Where the worker finds its two ends of the conversation (`SUSTAIN_COMMAND_FD`, `SUSTAIN_EVENT_FD`).
enum {
    CHOST_COMMAND_FD = 3,
    CHOST_EVENT_FD = 4,
};

/// What to start, and with what. Nothing else of the parent reaches the child.
typedef struct {
    /// Path of the program; PATH is not searched.
    const char *path;
    /// argv, ended by NULL; the first entry is the program's name for itself.
    char *const *arguments;
    /// The whole environment as KEY=VALUE, ended by NULL.
    char *const *environment;
    /// Becomes standard output and standard error. Standard input is /dev/null.
    int log_fd;
    /// Becomes descriptor 3: the child reads commands from it.
    int command_fd;
    /// Becomes descriptor 4: the child writes events to it.
    int event_fd;
    /// Not 0: no core dump, whatever the limit of the parent (a crashed worker's core holds a whole model).
    int no_core_dump;
} chost_spawn_request;

/// The step a start failed at.
typedef enum {
    CHOST_SPAWN_STEP_NONE,
    CHOST_SPAWN_STEP_CHILDREN,
    CHOST_SPAWN_STEP_PIPE,
    CHOST_SPAWN_STEP_FORK,
    CHOST_SPAWN_STEP_PIDFD,
    CHOST_SPAWN_STEP_GROUP,
    CHOST_SPAWN_STEP_PARENT_DEATH,
    CHOST_SPAWN_STEP_DESCRIPTORS,
    CHOST_SPAWN_STEP_SIGNALS,
    CHOST_SPAWN_STEP_CORE_LIMIT,
    CHOST_SPAWN_STEP_EXEC,
} chost_spawn_step;

/// A started child, or the step that failed.
typedef struct {
    /// Process id, which is the id of the child's process group too.
    pid_t pid;
    /// A descriptor of the process (pidfd_open(2), Linux 5.3), close-on-exec; readable once it has ended.
    int pidfd;
    /// `CHOST_SPAWN_STEP_NONE` after success.
    chost_spawn_step failed_step;
} chost_spawned;

/// Starts a program and returns once it runs: a program that cannot be executed is an error here.
///
/// The child leads a process group of its own, so a terminal's ^C does not reach it; it gets SIGKILL when
/// the calling *thread* ends (PR_SET_PDEATHSIG, prctl(2)), so a worker must be started by a thread that
/// lives as long as the run; every signal has its default action and none is blocked; all descriptors above
/// 4 are closed. If this process ignores SIGCHLD, as it may have been told to by whoever started it, the
/// default is restored: the kernel would otherwise throw away how the child ended (waitid(2)).
/// \returns 0 and fills `spawned`; or -errno with `spawned->failed_step` set and no child left behind.
int chost_spawn(const chost_spawn_request *request, chost_spawned *spawned);

/// A step in plain words, e.g. "execute the program".
const char *chost_spawn_step_text(chost_spawn_step step);
