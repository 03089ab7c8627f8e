// Ends the program when a signal comes and the work in hand does not return: a driver's library can hang where
// nothing reaches it, with the signals that would end the program blocked for a descriptor.
#pragma once
#include <pthread.h>
#include <stdint.h>

/// A watch over a piece of work.
typedef struct {
    pthread_t thread;
    /// Written to end the watch.
    int stop_fd;
    int signals_fd;
    int patience_ms;
    /// Exit status; 0 for 128 and the number of the signal.
    int status;
    const char *message;
} chost_guard;

/// Starts the watch on a thread of its own, in which all signals are blocked. `guard` stays where it is until
/// `chost_guard_stop`; before it `signals_fd` (signalfd(2)), `patience_ms`, `status` and `message` are set.
///
/// Once a signal can be read and `patience_ms` later the watch was not stopped, the message is written to standard
/// error and the program ends by _exit(2), since exit(3) would wait for locks that the work holds. A signal that
/// came and did not end the program is left in the descriptor.
/// \returns 0 or -errno.
int chost_guard_start(chost_guard *guard);

/// Ends the watch: the work has returned. \returns 0 or -errno.
int chost_guard_stop(chost_guard *guard);
