#include "command.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "children.h"
#include "host.h"

// Whether SIGPIPE had its default action before this program ignored it: commands get it back.
static atomic_int pipe_signal_was_standard = 0;

int chost_ignore_pipe_signal(void) {
    struct sigaction before;
    struct sigaction ignored = {.sa_handler = SIG_IGN};
    if (sigaction(SIGPIPE, &ignored, &before) < 0) return -errno;
    if ((before.sa_flags & SA_SIGINFO) || before.sa_handler != SIG_IGN) atomic_store(&pipe_signal_was_standard, 1);
    return 0;
}

static int set_signals(posix_spawnattr_t *attributes) {
    sigset_t none, standard;
    sigemptyset(&none);
    sigemptyset(&standard);
    if (atomic_load(&pipe_signal_was_standard)) sigaddset(&standard, SIGPIPE);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &standard);
    if (error == 0) error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return error;
}

static int spawn_with(
    const chost_command_request *request, const posix_spawnattr_t *attributes, chost_command *command) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    if (request->output_fd >= 0)
        error = posix_spawn_file_actions_adddup2(&actions, request->output_fd, STDOUT_FILENO);
    if (error == 0) {
        command->started_ns = chost_monotonic_ns();
        error = posix_spawnp(
            &command->pid, request->name, &actions, attributes, request->arguments, request->environment);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int chost_command_start(const chost_command_request *request, chost_command *command) {
    *command = (chost_command){.pid = -1, .pidfd = -1};
    int kept = chost_keep_ended_children();
    if (kept < 0) return kept;

    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);
    if (error) return -error;
    error = set_signals(&attributes);
    if (error == 0) error = spawn_with(request, &attributes, command);
    posix_spawnattr_destroy(&attributes);
    if (error) return -error;

    // Nobody else waits for this child, so its id cannot have been given to another process meanwhile.
    command->pidfd = (int)syscall(SYS_pidfd_open, command->pid, 0);
    if (command->pidfd >= 0) return 0;
    int result = -errno;
    chost_kill_and_reap(command->pid);
    return result;
}
