#include "guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "host.h"

// 1 when the first can be read, 2 when the second alone can, 0 when neither could in time.
static int readable(int first, int second, int timeout_ms) {
    struct pollfd watched[] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}};
    int ready;
    do {
        ready = poll(watched, 2, timeout_ms);
    } while (ready < 0 && errno == EINTR);
    // What cannot be waited for is taken as the end of the watch.
    if (ready < 0 || watched[0].revents != 0) return 1;
    return ready == 0 ? 0 : 2;
}

static void *watch(void *argument) {
    const chost_guard *guard = argument;
    if (readable(guard->stop_fd, guard->signals_fd, -1) != 2) return NULL;
    if (readable(guard->stop_fd, -1, guard->patience_ms) != 0) return NULL;
    int number = chost_signalfd_take(guard->signals_fd);
    ssize_t written = write(STDERR_FILENO, guard->message, strlen(guard->message));
    (void)written;
    _exit(guard->status != 0 ? guard->status : 128 + (number > 0 ? number : SIGINT));
}

int chost_guard_start(chost_guard *guard) {
    guard->stop_fd = chost_eventfd();
    if (guard->stop_fd < 0) return guard->stop_fd;
    sigset_t all, before;
    sigfillset(&all);
    int error = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (error == 0) {
        error = pthread_create(&guard->thread, NULL, watch, guard);
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (error != 0) (void)close(guard->stop_fd);
    return -error;
}

int chost_guard_stop(chost_guard *guard) {
    int result = chost_eventfd_signal(guard->stop_fd);
    if (result < 0) return result;
    int error = pthread_join(guard->thread, NULL);
    (void)close(guard->stop_fd);
    return -error;
}
