#include "filetext.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t copy_printable(const char *from, const char *end, char *text, size_t size) {
    size_t length = 0;
    while (from < end && length + 1 < size && *from >= ' ' && *from <= '~') text[length++] = *from++;
    text[length] = 0;
    return length;
}

ssize_t chost_file_text(const char *path, const char *start, char *text, size_t size) {
    if (size == 0) return -EINVAL;
    text[0] = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return -errno;
    struct stat info;
    ssize_t result = 0;
    if (fstat(fd, &info) < 0) {
        result = -errno;
    } else if (!S_ISREG(info.st_mode)) {
        result = -EINVAL;
    } else if (info.st_size > 0) {
        size_t length = (size_t)info.st_size;
        char *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED) {
            result = -errno;
        } else {
            const char *found = memmem(bytes, length, start, strlen(start));
            if (found) result = (ssize_t)copy_printable(found, bytes + length, text, size);
            (void)munmap(bytes, length);
        }
    }
    (void)close(fd);
    return result;
}
