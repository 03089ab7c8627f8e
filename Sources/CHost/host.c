#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NANOSECONDS = 1000000000 };

static int or_errno(int result) { return result < 0 ? -errno : result; }

static struct timespec timespec_of(uint64_t ns) {
    return (struct timespec){.tv_sec = (time_t)(ns / NANOSECONDS), .tv_nsec = (long)(ns % NANOSECONDS)};
}

// Clocks

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    // Fails only for a clock the kernel does not know, and Linux has had all four since 2.6.39.
    if (clock_gettime(clock, &now) < 0) return 0;
    return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

uint64_t chost_monotonic_ns(void) { return clock_ns(CLOCK_MONOTONIC); }
uint64_t chost_boottime_ns(void) { return clock_ns(CLOCK_BOOTTIME); }
uint64_t chost_thread_cpu_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }
uint64_t chost_process_cpu_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

int chost_sleep_until(uint64_t deadline_ns) {
    struct timespec deadline = timespec_of(deadline_ns);
    int error;
    do {
        error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL);
    } while (error == EINTR);
    return -error;
}

// Waiting

int chost_ppoll(struct pollfd *descriptors, size_t count, int64_t timeout_ns) {
    struct timespec timeout = timespec_of(timeout_ns < 0 ? 0 : (uint64_t)timeout_ns);
    int ready = ppoll(descriptors, (nfds_t)count, timeout_ns < 0 ? NULL : &timeout, NULL);
    if (ready < 0 && errno == EINTR) {
        // ppoll leaves the old answers in place when it is interrupted.
        for (size_t i = 0; i < count; i++) descriptors[i].revents = 0;
        return 0;
    }
    return or_errno(ready);
}

// An 8-byte counter of a timerfd or an eventfd: nothing to read is 0.
static int64_t take_counter(int fd) {
    uint64_t value;
    ssize_t got;
    do {
        got = read(fd, &value, sizeof value);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return errno == EAGAIN ? 0 : -errno;
    if (got != (ssize_t)sizeof value) return -EIO;
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

int chost_timerfd(void) { return or_errno(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)); }

int chost_timerfd_periodic(int fd, uint64_t first_ns, uint64_t period_ns) {
    struct itimerspec when = {.it_value = timespec_of(first_ns), .it_interval = timespec_of(period_ns)};
    return or_errno(timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL));
}

int chost_timerfd_once(int fd, uint64_t deadline_ns) { return chost_timerfd_periodic(fd, deadline_ns, 0); }

int64_t chost_timerfd_take(int fd) { return take_counter(fd); }

int chost_eventfd(void) { return or_errno(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int chost_eventfd_signal(int fd) {
    uint64_t one = 1;
    ssize_t written;
    do {
        written = write(fd, &one, sizeof one);
    } while (written < 0 && errno == EINTR);
    // A counter that is full is signalled all the same.
    if (written < 0 && errno != EAGAIN) return -errno;
    return 0;
}

int64_t chost_eventfd_take(int fd) { return take_counter(fd); }

// Signals

static int signal_set(const int *signals, size_t count, sigset_t *set) {
    sigemptyset(set);
    for (size_t i = 0; i < count; i++) {
        if (sigaddset(set, signals[i]) < 0) return -errno;
    }
    return 0;
}

int chost_block_signals(const int *signals, size_t count) {
    sigset_t set;
    int result = signal_set(signals, count, &set);
    return result < 0 ? result : -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int chost_signalfd(const int *signals, size_t count) {
    sigset_t set;
    int result = signal_set(signals, count, &set);
    return result < 0 ? result : or_errno(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int chost_signalfd_take(int fd) {
    int sent;
    return chost_signalfd_take_from(fd, &sent);
}

int chost_signalfd_take_from(int fd, int *sent) {
    struct signalfd_siginfo info;
    ssize_t got;
    do {
        got = read(fd, &info, sizeof info);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return errno == EAGAIN ? 0 : -errno;
    if (got != (ssize_t)sizeof info) return -EIO;
    // sigaction(2): codes of the kernel are positive, those of kill, tgkill and sigqueue are not.
    *sent = info.ssi_code <= 0;
    return (int)info.ssi_signo;
}

// Pipes

int chost_pipe(int ends[2]) { return or_errno(pipe2(ends, O_CLOEXEC)); }

int chost_set_nonblocking(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return -errno;
    return or_errno(fcntl(fd, F_SETFL, flags | O_NONBLOCK));
}

int chost_set_pipe_size(int fd, int bytes) { return or_errno(fcntl(fd, F_SETPIPE_SZ, bytes)); }

ssize_t chost_write(int fd, const void *bytes, size_t count) {
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    // One that was pending already belongs to somebody else and stays.
    if (sigpending(&pending) < 0) return -errno;
    int failed = pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    if (failed) return -failed;

    ssize_t written;
    do {
        written = write(fd, bytes, count);
    } while (written < 0 && errno == EINTR);
    ssize_t result = written < 0 ? -errno : written;

    if (result == -EPIPE && !sigismember(&pending, SIGPIPE)) {
        struct timespec now = {0};
        while (sigtimedwait(&pipe_signal, NULL, &now) < 0 && errno == EINTR) {
        }
    }
    failed = pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed ? -failed : result;
}

int chost_free_beginning(int fd, int64_t end) {
    return or_errno(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)end));
}

// Processes

static int64_t nanoseconds_of(struct timeval time) {
    return (int64_t)time.tv_sec * NANOSECONDS + (int64_t)time.tv_usec * 1000;
}

int chost_wait(int pidfd, int reap, chost_end *end) {
    // The system call's fifth argument, the child's rusage, is not in the C library's waitid.
    enum { WAIT_PIDFD = 3 };
    siginfo_t info = {0};
    struct rusage usage = {0};
    int options = WEXITED | WNOHANG | (reap ? 0 : WNOWAIT);
    if (syscall(SYS_waitid, WAIT_PIDFD, pidfd, &info, options, &usage) < 0) return -errno;
    if (info.si_pid == 0) return 0;
    int exited = info.si_code == CLD_EXITED;
    *end = (chost_end){
        .status = exited ? info.si_status : -1,
        .signal = exited ? 0 : info.si_status,
        .dumped_core = info.si_code == CLD_DUMPED,
        .peak_rss_kib = usage.ru_maxrss,
        .user_ns = nanoseconds_of(usage.ru_utime),
        .system_ns = nanoseconds_of(usage.ru_stime),
    };
    return 1;
}

int chost_kill_group(pid_t group, int signal) {
    // 0 and 1 would mean the caller's own group and, through kill(-1), every process of the user.
    if (group <= 1) return -EINVAL;
    return or_errno(killpg(group, signal));
}

int chost_affinity(pid_t pid, unsigned char *mask, size_t size) {
    // The system call says how much it filled; the C library's wrapper does not.
    return or_errno((int)syscall(SYS_sched_getaffinity, pid, size, mask));
}

int chost_set_affinity(pid_t pid, const unsigned char *mask, size_t size) {
    return or_errno((int)syscall(SYS_sched_setaffinity, pid, size, mask));
}

int chost_name_thread(const char *name) { return or_errno(prctl(PR_SET_NAME, name, 0, 0, 0)); }

int chost_set_timer_slack(uint64_t nanoseconds) {
    return or_errno(prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0));
}
