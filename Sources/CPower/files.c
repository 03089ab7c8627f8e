#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cpower_open(const char *path) {
    int descriptor;
    do {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) return -errno;

    struct stat facts;
    int error = fstat(descriptor, &facts) != 0   ? errno
                : S_ISREG(facts.st_mode)         ? 0
                : S_ISDIR(facts.st_mode)         ? EISDIR
                                                 : ENOTSUP;
    if (error == 0) return descriptor;
    (void)close(descriptor);
    return -error;
}

int cpower_close(int descriptor) { return close(descriptor) == 0 ? 0 : errno; }

ssize_t cpower_read_start(int descriptor, char *buffer, size_t capacity) {
    ssize_t length;
    do {
        length = pread(descriptor, buffer, capacity, 0);
    } while (length < 0 && errno == EINTR);
    if (length < 0) return -errno;
    if ((size_t)length < capacity) return length;
    while (length > 0 && buffer[length - 1] != '\n') length -= 1;
    return length;
}

ssize_t cpower_read_file(const char *path, char *buffer, size_t capacity) {
    int descriptor = cpower_open(path);
    if (descriptor < 0) return descriptor;
    ssize_t length = cpower_read_start(descriptor, buffer, capacity);
    int error = cpower_close(descriptor);
    return length >= 0 && error != 0 ? -error : length;
}

int cpower_list(
    const char *path, char *names, size_t capacity, size_t most, size_t *count, size_t *omitted) {
    *count = 0;
    *omitted = 0;
    DIR *directory = opendir(path);
    if (directory == NULL) return errno;

    size_t used = 0;
    int error = 0;
    while (*count + *omitted < 1000000) {
        errno = 0;
        struct dirent *entry = readdir(directory);
        if (entry == NULL) {
            error = errno;
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        size_t length = strlen(entry->d_name) + 1;
        if (*count >= most || length > capacity - used) {
            *omitted += 1;
            continue;
        }
        memcpy(names + used, entry->d_name, length);
        used += length;
        *count += 1;
    }
    if (closedir(directory) != 0 && error == 0) error = errno;
    return error;
}
