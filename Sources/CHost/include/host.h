// Linux services that Swift's Glibc module lacks or cannot call: clocks, waits, timers, signals, processes.
//
// Each call does one thing and returns a value >= 0, or -errno; none keeps state and none decides anything.
#pragma once
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Clocks

/// CLOCK_MONOTONIC now, in nanoseconds: the clock of all arithmetic and all stamps (clock_gettime(2)).
uint64_t chost_monotonic_ns(void);
/// CLOCK_BOOTTIME now, in nanoseconds: goes on while the machine sleeps.
uint64_t chost_boottime_ns(void);
/// CLOCK_THREAD_CPUTIME_ID of the calling thread, in nanoseconds.
uint64_t chost_thread_cpu_ns(void);
/// CLOCK_PROCESS_CPUTIME_ID, in nanoseconds.
uint64_t chost_process_cpu_ns(void);
/// Sleeps until CLOCK_MONOTONIC reaches `deadline_ns`, through interruptions by signal handlers.
/// \returns 0 or -errno.
int chost_sleep_until(uint64_t deadline_ns);

// Waiting

/// Waits until a descriptor is ready, at most `timeout_ns` nanoseconds; for ever when it is negative.
/// \returns how many are ready; 0 when the time is over or a signal handler ran; or -errno.
int chost_ppoll(struct pollfd *descriptors, size_t count, int64_t timeout_ns);

/// A timer descriptor of CLOCK_MONOTONIC: close-on-exec, non-blocking, not armed (timerfd_create(2)).
int chost_timerfd(void);
/// Arms it to fire at `first_ns` of CLOCK_MONOTONIC and every `period_ns` after that.
int chost_timerfd_periodic(int fd, uint64_t first_ns, uint64_t period_ns);
/// Arms it to fire once, when CLOCK_MONOTONIC reaches `deadline_ns`; 0 disarms it.
int chost_timerfd_once(int fd, uint64_t deadline_ns);
/// \returns how often it fired since the last call, 0 when it did not, or -errno.
int64_t chost_timerfd_take(int fd);

/// An event counter: close-on-exec, non-blocking, 0 (eventfd(2)).
int chost_eventfd(void);
/// Adds one; never blocks. \returns 0 or -errno.
int chost_eventfd_signal(int fd);
/// \returns what was added since the last call, 0 when nothing was, or -errno.
int64_t chost_eventfd_take(int fd);

// Signals

/// Blocks the signals in the calling thread and in those it makes afterwards (pthread_sigmask(3)).
int chost_block_signals(const int *signals, size_t count);
/// A descriptor that is readable while one of the signals, blocked before, is pending: close-on-exec,
/// non-blocking (signalfd(2)).
int chost_signalfd(const int *signals, size_t count);
/// \returns the number of the next pending signal, 0 when there is none, or -errno.
int chost_signalfd_take(int fd);
/// The same, and sets `sent` to 1 when a process sent the signal (kill(2)), to 0 when the kernel did: a key on
/// the terminal, which reaches the whole foreground process group.
int chost_signalfd_take_from(int fd, int *sent);

// Pipes

/// A pipe whose two ends are close-on-exec (pipe2(2)): ends[0] is read, ends[1] written.
int chost_pipe(int ends[2]);
/// Makes reads and writes of this end return -EAGAIN instead of waiting.
int chost_set_nonblocking(int fd);
/// Asks for room for `bytes` bytes in the pipe (fcntl(2), F_SETPIPE_SZ). \returns the room given, or -errno.
int chost_set_pipe_size(int fd, int bytes);
/// write(2) that reports a pipe without reader as -EPIPE and never raises SIGPIPE, whatever its action is.
ssize_t chost_write(int fd, const void *bytes, size_t count);
/// Gives the blocks of the file's bytes before `end` back to the file system and keeps its size: the rest
/// stays where it is (fallocate(2), FALLOC_FL_PUNCH_HOLE). \returns 0 or -errno.
int chost_free_beginning(int fd, int64_t end);

// Processes

/// How a child ended.
typedef struct {
    /// The exit status, or -1 when a signal ended it.
    int status;
    /// The signal that ended it, or 0.
    int signal;
    /// Not 0: it left a core dump.
    int dumped_core;
    /// Largest resident set in kibibytes (getrusage(2)). It counts from the fork: of a child that stayed
    /// smaller than its parent was then, it is the parent's size.
    int64_t peak_rss_kib;
    /// CPU time in user and kernel mode, nanoseconds.
    int64_t user_ns;
    int64_t system_ns;
} chost_end;

/// Asks, without waiting, whether the child of a pidfd has ended.
/// \param reap Not 0: takes the ended child out of the process table, once and for all.
/// \returns 1 and fills `end` when it has ended, 0 while it runs, or -errno.
int chost_wait(int pidfd, int reap, chost_end *end);
/// Sends a signal to every process of a group (killpg(3)); -ESRCH when it has none.
int chost_kill_group(pid_t group, int signal);
/// CPUs a thread may run on, as a bit set from CPU 0 (sched_getaffinity(2)); pid 0 is the calling thread.
/// \param size Bytes in `mask`, a multiple of 8.
/// \returns how many bytes of `mask` the kernel filled, or -EINVAL when it has more CPUs than `size` holds.
int chost_affinity(pid_t pid, unsigned char *mask, size_t size);
/// Restricts a thread to the CPUs of a bit set (sched_setaffinity(2)); children inherit it.
int chost_set_affinity(pid_t pid, const unsigned char *mask, size_t size);
/// Names the calling thread, at most 15 bytes are kept (prctl(2), PR_SET_NAME).
int chost_name_thread(const char *name);
/// How late the kernel may wake the calling thread to save power (PR_SET_TIMERSLACK); 50,000 ns by default.
int chost_set_timer_slack(uint64_t nanoseconds);
