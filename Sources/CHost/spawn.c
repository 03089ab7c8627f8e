#include "chost_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "children.h"

// What the child writes to the error pipe when a step before exec fails.
typedef struct {
    int step;
    int error;
} step_failure;

// The error pipe's place in the child: above the descriptors the program keeps, closed by exec.
enum { ERROR_FD = CHOST_EVENT_FD + 1 };

// In the child, from here to exec, only async-signal-safe calls are allowed: other threads of the parent
// may have held malloc's or stdio's locks when it forked.

static _Noreturn void give_up(int error_fd, chost_spawn_step step) {
    step_failure failure = {.step = (int)step, .error = errno};
    // Eight bytes on a pipe are written whole or not at all; if the parent is gone nobody wants them.
    ssize_t written = write(error_fd, &failure, sizeof failure);
    (void)written;
    _exit(127);
}

// Moves the descriptors to 0..5 whatever numbers they have now: first all of them out of the way, since a
// target number may be another one's present number.
static int place_descriptors(const chost_spawn_request *request, int *error_fd) {
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0) return -1;
    int from[] = {nothing, request->log_fd, request->command_fd, request->event_fd, *error_fd};
    enum { COUNT = sizeof from / sizeof from[0] };
    for (int i = 0; i < COUNT; i++) {
        from[i] = fcntl(from[i], F_DUPFD_CLOEXEC, ERROR_FD + 1);
        if (from[i] < 0) return -1;
    }
    *error_fd = from[4];
    if (dup2(from[0], STDIN_FILENO) < 0 || dup2(from[1], STDOUT_FILENO) < 0 ||
        dup2(from[1], STDERR_FILENO) < 0 || dup2(from[2], CHOST_COMMAND_FD) < 0 ||
        dup2(from[3], CHOST_EVENT_FD) < 0 || dup3(from[4], ERROR_FD, O_CLOEXEC) < 0)
        return -1;
    *error_fd = ERROR_FD;
    if (syscall(SYS_close_range, ERROR_FD + 1, ~0U, 0) == 0) return 0;
    if (errno != ENOSYS) return -1;
    // Linux before 5.9: one by one, up to a number that no descriptor of this program reaches.
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -1;
    for (rlim_t fd = ERROR_FD + 1; fd < limit.rlim_cur && fd < 65536; fd++) close((int)fd);
    return 0;
}

static int reset_signals(void) {
    // The kernel's struct sigaction, all zero: SIG_DFL without flags, whatever its layout here. The C
    // library's call refuses the two signals it keeps for itself, which may be inherited as ignored.
    unsigned long standard[8] = {0};
    enum { KERNEL_SIGSET_BYTES = (NSIG - 1) / 8 };
    for (int signal = 1; signal < NSIG; signal++) {
        // SIGKILL and SIGSTOP cannot be set: EINVAL.
        long result = syscall(SYS_rt_sigaction, signal, standard, NULL, KERNEL_SIGSET_BYTES);
        if (result < 0 && errno != EINVAL) return -1;
    }
    sigset_t none;
    sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void become(const chost_spawn_request *request, int error_fd, pid_t parent) {
    if (setpgid(0, 0) < 0) give_up(error_fd, CHOST_SPAWN_STEP_GROUP);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0) give_up(error_fd, CHOST_SPAWN_STEP_PARENT_DEATH);
    // The parent may have died before the line above; then no signal will ever come.
    if (getppid() != parent) _exit(127);
    if (request->no_core_dump) {
        struct rlimit limit;
        if (getrlimit(RLIMIT_CORE, &limit) < 0) give_up(error_fd, CHOST_SPAWN_STEP_CORE_LIMIT);
        limit.rlim_cur = 0;
        if (setrlimit(RLIMIT_CORE, &limit) < 0) give_up(error_fd, CHOST_SPAWN_STEP_CORE_LIMIT);
    }
    if (place_descriptors(request, &error_fd) < 0) give_up(error_fd, CHOST_SPAWN_STEP_DESCRIPTORS);
    if (reset_signals() < 0) give_up(error_fd, CHOST_SPAWN_STEP_SIGNALS);
    execve(request->path, request->arguments, request->environment);
    give_up(error_fd, CHOST_SPAWN_STEP_EXEC);
}

// Waits until exec has closed the pipe (success) or the child has said what failed.
static int await_exec(int error_fd, chost_spawn_step *step) {
    step_failure failure;
    ssize_t got;
    do {
        got = read(error_fd, &failure, sizeof failure);
    } while (got < 0 && errno == EINTR);
    if (got == 0) return 0;
    *step = CHOST_SPAWN_STEP_EXEC;
    if (got < 0) return -errno;
    if (got != (ssize_t)sizeof failure) return -EIO;
    *step = (chost_spawn_step)failure.step;
    return -failure.error;
}

static pid_t fork_with_signals_blocked(const chost_spawn_request *request, int error_pipe[2]) {
    pid_t parent = getpid();
    sigset_t all, before;
    sigfillset(&all);
    // No handler of the parent may run in the child before its signals are back at their defaults.
    int failed = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (failed) {
        errno = failed;
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) become(request, error_pipe[1], parent);
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return pid;
}

int chost_spawn(const chost_spawn_request *request, chost_spawned *spawned) {
    *spawned = (chost_spawned){.pid = -1, .pidfd = -1, .failed_step = CHOST_SPAWN_STEP_CHILDREN};
    int kept = chost_keep_ended_children();
    if (kept < 0) return kept;

    spawned->failed_step = CHOST_SPAWN_STEP_PIPE;
    int error_pipe[2];
    if (pipe2(error_pipe, O_CLOEXEC) < 0) return -errno;

    spawned->failed_step = CHOST_SPAWN_STEP_FORK;
    pid_t pid = fork_with_signals_blocked(request, error_pipe);
    int result = pid < 0 ? -errno : 0;
    close(error_pipe[1]);
    if (pid < 0) {
        close(error_pipe[0]);
        return result;
    }

    result = await_exec(error_pipe[0], &spawned->failed_step);
    close(error_pipe[0]);
    if (result < 0) {
        chost_kill_and_reap(pid);
        return result;
    }

    // Nobody else waits for this child, so its id cannot have been given to another process meanwhile.
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0) {
        result = -errno;
        spawned->failed_step = CHOST_SPAWN_STEP_PIDFD;
        chost_kill_and_reap(pid);
        return result;
    }
    *spawned = (chost_spawned){.pid = pid, .pidfd = pidfd, .failed_step = CHOST_SPAWN_STEP_NONE};
    return 0;
}

const char *chost_spawn_step_text(chost_spawn_step step) {
    switch (step) {
    case CHOST_SPAWN_STEP_NONE: return "nothing";
    case CHOST_SPAWN_STEP_CHILDREN: return "stop ignoring the ends of children";
    case CHOST_SPAWN_STEP_PIPE: return "make a pipe";
    case CHOST_SPAWN_STEP_FORK: return "make a process";
    case CHOST_SPAWN_STEP_PIDFD: return "open a descriptor of the process";
    case CHOST_SPAWN_STEP_GROUP: return "make a process group";
    case CHOST_SPAWN_STEP_PARENT_DEATH: return "ask for a signal at the parent's death";
    case CHOST_SPAWN_STEP_DESCRIPTORS: return "place the descriptors";
    case CHOST_SPAWN_STEP_SIGNALS: return "reset the signals";
    case CHOST_SPAWN_STEP_CORE_LIMIT: return "turn core dumps off";
    case CHOST_SPAWN_STEP_EXEC: return "execute the program";
    }
    return "an unknown step";
}
