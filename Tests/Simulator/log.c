#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool log_begin(struct log *log, const char *path, struct message *message) {
    *log = (struct log){
        .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER, .descriptor = -1};
    if (path == NULL) return true;
    log->descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return log->descriptor >= 0 || refuse(message, "%s: %s", path, strerror(errno));
}

// Writes all that is new, without holding the lock meanwhile: the text may move, so that it is copied.
static void write_new(struct log *log) {
    while (log->error == 0 && log->written < log->lines.length) {
        char piece[16384];
        size_t length = log->lines.length - log->written;
        if (length > sizeof piece) length = sizeof piece;
        memcpy(piece, log->lines.bytes + log->written, length);
        pthread_mutex_unlock(&log->lock);
        ssize_t done = write(log->descriptor, piece, length);
        int error = done < 0 && errno != EINTR ? errno : 0;
        pthread_mutex_lock(&log->lock);
        if (done > 0) log->written += (size_t)done;
        log->error = error;
    }
}

static void *writer(void *context) {
    struct log *log = context;
    pthread_mutex_lock(&log->lock);
    while (!log->ending) {
        write_new(log);
        if (!log->ending && (log->error != 0 || log->written == log->lines.length)) {
            pthread_cond_wait(&log->more, &log->lock);
        }
    }
    write_new(log);
    pthread_mutex_unlock(&log->lock);
    return NULL;
}

bool log_start_writer(struct log *log, struct message *message) {
    if (log->descriptor < 0) return true;
    int error = pthread_create(&log->writer, NULL, writer, log);
    log->has_writer = error == 0;
    return error == 0 || refuse(message, "cannot start a thread: %s", strerror(error));
}

void log_add(struct log *log, const struct text *line) {
    pthread_mutex_lock(&log->lock);
    if (line->failed) log->lines.failed = true;
    if (line->bytes != NULL && !log->ending) text_add(&log->lines, "%s\n", line->bytes);
    pthread_cond_signal(&log->more);
    pthread_mutex_unlock(&log->lock);
}

char *log_copy(struct log *log, size_t offset, size_t size, size_t *length) {
    pthread_mutex_lock(&log->lock);
    size_t there = offset < log->lines.length ? log->lines.length - offset : 0;
    *length = there < size ? there : size;
    char *copy = malloc(*length + 1);
    if (copy != NULL && *length > 0) memcpy(copy, log->lines.bytes + offset, *length);
    pthread_mutex_unlock(&log->lock);
    return copy;
}

int log_end(struct log *log) {
    pthread_mutex_lock(&log->lock);
    log->ending = true;
    pthread_cond_signal(&log->more);
    pthread_mutex_unlock(&log->lock);
    if (log->has_writer) (void)pthread_join(log->writer, NULL);
    pthread_mutex_lock(&log->lock);
    if (log->descriptor >= 0 && close(log->descriptor) != 0 && log->error == 0) log->error = errno;
    int error = log->error != 0 ? log->error : log->lines.failed ? ENOMEM : 0;
    pthread_mutex_unlock(&log->lock);
    return error;
}
