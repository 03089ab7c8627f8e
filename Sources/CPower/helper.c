#include "helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int cpower_find_program(const char *name, char *path, size_t capacity) {
    if (strchr(name, '/') != NULL) {
        if (strlen(name) >= capacity) return ENAMETOOLONG;
        strcpy(path, name);
        return 0;
    }
    const char *rest = getenv("PATH");
    if (rest == NULL) rest = "/usr/local/bin:/usr/bin:/bin";
    int error = ENOENT;
    while (*rest != '\0') {
        size_t length = strcspn(rest, ":");
        // An empty entry would be the current directory: never searched.
        int written = length == 0 ? -1 : snprintf(path, capacity, "%.*s/%s", (int)length, rest, name);
        if (written > 0 && (size_t)written < capacity) {
            if (access(path, X_OK) == 0) return 0;
            if (errno == EACCES) error = EACCES;
        }
        rest += length + (rest[length] == ':');
    }
    return error;
}

// In the child only async-signal-safe calls are allowed: another thread may have held a lock when it forked.

static _Noreturn void give_up(int report) {
    int error = errno;
    ssize_t written = write(report, &error, sizeof error);
    (void)written;
    _exit(127);
}

static int close_from(int first) {
    if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) == 0) return 0;
    if (errno != ENOSYS) return -1;
    // Linux before 5.9.
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -1;
    for (rlim_t fd = (rlim_t)first; fd < limit.rlim_cur && fd < 65536; fd++) (void)close((int)fd);
    return 0;
}

static int reset_signals(void) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    // The C library keeps two signals for itself and refuses them; SIGKILL and SIGSTOP cannot be set.
    for (int number = 1; number < NSIG; number++) (void)sigaction(number, &standard, NULL);
    sigset_t none;
    sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, NULL);
}

// The meter's program itself: a child of the guardian, in its group.
static _Noreturn void become(
    const char *path, char *const *arguments, int output, int report, pid_t guardian) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0) give_up(report);
    // The guardian may have died before the line above; then no signal will ever come.
    if (getppid() != guardian) _exit(127);
    // Out of the way of 0 to 3 first.
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int high_nothing = fcntl(nothing, F_DUPFD_CLOEXEC, 4);
    int high_output = fcntl(output, F_DUPFD_CLOEXEC, 4);
    int high_report = fcntl(report, F_DUPFD_CLOEXEC, 4);
    if (nothing < 0 || high_nothing < 0 || high_output < 0 || high_report < 0) give_up(report);
    if (dup2(high_nothing, 0) < 0 || dup2(high_output, 1) < 0 || dup2(high_nothing, 2) < 0 ||
        dup3(high_report, 3, O_CLOEXEC) < 0)
        give_up(high_report);
    if (close_from(4) < 0 || reset_signals() < 0) give_up(3);
    execve(path, arguments, environ);
    give_up(3);
}

// Ends as the meter's program did, so that whoever waits for the guardian learns how.
static _Noreturn void end_like(int how) {
    if (!WIFSIGNALED(how)) _exit(WEXITSTATUS(how));
    struct rlimit no_core = {0};
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)reset_signals();
    (void)kill(getpid(), WTERMSIG(how));
    // A signal that does not end a program did not end the meter either.
    _exit(127);
}

// Waits for the end of the meter, or of the program that wants it: `life` reads as ended once no process holds its
// other end. All that is left of the group, the guardian too, ends with that program.
static _Noreturn void stand_guard(pid_t meter, int life) {
    int end = (int)syscall(SYS_pidfd_open, meter, 0);
    // Without such descriptors (Linux before 5.3) the meter is asked for ten times a second.
    int patience = end < 0 ? 100 : -1;
    for (;;) {
        struct pollfd watched[] = {{.fd = life, .events = POLLIN}, {.fd = end, .events = POLLIN}};
        int ready = poll(watched, 2, patience);
        if (ready < 0 && errno != EINTR) _exit(127);
        if (watched[0].revents != 0) (void)kill(0, SIGKILL);
        int how = 0;
        if (waitpid(meter, &how, WNOHANG) == meter) end_like(how);
    }
}

// What the first child does: it leads the group, starts the meter and keeps nothing open but `life`.
static _Noreturn void guard_meter(
    const char *path, char *const *arguments, int output, int report, int life) {
    if (setpgid(0, 0) < 0) give_up(report);
    (void)prctl(PR_SET_NAME, "meter-guard", 0, 0, 0);
    pid_t guardian = getpid();
    pid_t meter = _Fork();
    if (meter < 0) give_up(report);
    if (meter == 0) become(path, arguments, output, report, guardian);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int high_nothing = fcntl(nothing, F_DUPFD_CLOEXEC, 4);
    int high_life = fcntl(life, F_DUPFD_CLOEXEC, 4);
    if (nothing < 0 || high_nothing < 0 || high_life < 0) give_up(report);
    // The report's end is the exec: the guardian must not hold it open.
    if (dup2(high_nothing, 0) < 0 || dup2(high_nothing, 1) < 0 || dup2(high_nothing, 2) < 0 ||
        dup2(high_life, 3) < 0 || close_from(4) < 0)
        _exit(127);
    stand_guard(meter, 3);
}

static pid_t start(const char *path, char *const *arguments, int output, int report, int life) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    // They stay blocked in the guardian: what ends the group in order is for the meter to obey.
    int failed = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (failed != 0) {
        errno = failed;
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) guard_meter(path, arguments, output, report, life);
    int error = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return pid;
}

static void close_pair(const int ends[2]) {
    for (int end = 0; end < 2; end++) {
        if (ends[end] >= 0) (void)close(ends[end]);
    }
}

// The three pipes of a start; a closed end is -1.
struct pipes {
    int output[2];
    int report[2];
    int life[2];
};

static void close_pipes(struct pipes *pipes) {
    close_pair(pipes->output);
    close_pair(pipes->report);
    close_pair(pipes->life);
}

static int open_pipes(struct pipes *pipes) {
    *pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}};
    if (pipe2(pipes->output, O_CLOEXEC) < 0 || fcntl(pipes->output[0], F_SETFL, O_NONBLOCK) < 0 ||
        pipe2(pipes->report, O_CLOEXEC) < 0 || pipe2(pipes->life, O_CLOEXEC) < 0) {
        int error = errno;
        close_pipes(pipes);
        return error;
    }
    return 0;
}

static void close_end(int *end) {
    (void)close(*end);
    *end = -1;
}

int cpower_helper_start(const char *path, char *const *arguments, struct cpower_helper *helper) {
    struct pipes pipes;
    int error = open_pipes(&pipes);
    if (error != 0) return error;
    pid_t pid = start(path, arguments, pipes.output[1], pipes.report[1], pipes.life[0]);
    error = pid < 0 ? errno : 0;
    close_end(&pipes.output[1]);
    close_end(&pipes.report[1]);
    close_end(&pipes.life[0]);
    if (pid > 0) {
        // The end of the pipe is the exec; four bytes are what failed before it.
        ssize_t length;
        do {
            length = read(pipes.report[0], &error, sizeof error);
        } while (length < 0 && errno == EINTR);
        if (length != (ssize_t)sizeof error) error = length == 0 ? 0 : EIO;
        if (error != 0) {
            (void)kill(pid, SIGKILL);
            while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
            }
        }
    }
    if (error != 0) {
        close_pipes(&pipes);
        return error;
    }
    close_end(&pipes.report[0]);
    *helper = (struct cpower_helper){.pid = pid, .output = pipes.output[0], .life = pipes.life[1]};
    return 0;
}

int cpower_helper_signal(const struct cpower_helper *helper, int signal) {
    return kill(-helper->pid, signal) == 0 ? 0 : errno;
}

int cpower_helper_ended(const struct cpower_helper *helper, int *status, int *signal) {
    int how = 0;
    pid_t result;
    do {
        result = waitpid(helper->pid, &how, WNOHANG);
    } while (result < 0 && errno == EINTR);
    if (result < 0) return -errno;
    if (result == 0) return 0;
    *status = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    *signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    return 1;
}

ssize_t cpower_helper_read(const struct cpower_helper *helper, char *buffer, size_t capacity) {
    ssize_t length;
    do {
        length = read(helper->output, buffer, capacity);
    } while (length < 0 && errno == EINTR);
    return length < 0 ? -errno : length;
}

int cpower_wait_readable(int first, int second, int timeout_ms) {
    struct pollfd watched[] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}};
    int ready = poll(watched, sizeof watched / sizeof watched[0], timeout_ms);
    return ready >= 0 || errno == EINTR ? 0 : errno;
}
