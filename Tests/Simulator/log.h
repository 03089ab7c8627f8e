// The record of every change: JSON lines, kept in memory, and written to a file by a thread of its own so
// that a slow disk delays nothing.
#pragma once

#include <pthread.h>

#include "text.h"

struct log {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct text lines;
    /// -1 without a file.
    int descriptor;
    size_t written;
    bool ending;
    /// errno of the file; nothing more is written to it then.
    int error;
    pthread_t writer;
    bool has_writer;
};

bool log_begin(struct log *log, const char *path, struct message *message);

/// Starts the thread that writes the file. To be called after the last fork.
bool log_start_writer(struct log *log, struct message *message);

/// Adds what `line` holds, a line feed behind it; nothing after the end.
void log_add(struct log *log, const struct text *line);

/// A copy of up to `size` bytes from `offset` on, NULL when memory is short.
char *log_copy(struct log *log, size_t offset, size_t size, size_t *length);

/// Writes what is left. Returns 0, the errno of the file, or ENOMEM where lines were lost.
int log_end(struct log *log);
