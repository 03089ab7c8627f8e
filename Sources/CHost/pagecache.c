#include "pagecache.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

int chost_pages_drop(int descriptor) {
    // Dirty pages cannot be dropped; a freshly downloaded or generated model is dirty. A file system that
    // has nothing to sync says EINVAL or EROFS, which is no obstacle.
    if (fdatasync(descriptor) != 0 && errno != EINVAL && errno != EROFS) return errno;
    return posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
}

int chost_pages_kept(int descriptor) {
    struct statfs info;
    if (fstatfs(descriptor, &info) != 0) return 0;
    return info.f_type == TMPFS_MAGIC || info.f_type == RAMFS_MAGIC;
}

int chost_pages_sequential(int descriptor) {
    return posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
}

int chost_pages_visible(int descriptor) {
    struct stat info;
    if (fstat(descriptor, &info) != 0) return 0;
    if (info.st_uid == geteuid()) return 1;
    return faccessat(descriptor, "", W_OK, AT_EACCESS | AT_EMPTY_PATH) == 0;
}

int chost_pages_resident(int descriptor, uint64_t size, uint64_t *resident, uint64_t *total) {
    const uint64_t piece = (uint64_t)1 << 30;
    long page = sysconf(_SC_PAGESIZE);
    if (page <= 0) return EINVAL;
    unsigned char *vector = malloc(piece / (uint64_t)page);
    if (!vector) return ENOMEM;

    int status = 0;
    *resident = 0;
    *total = 0;
    for (uint64_t offset = 0; offset < size && status == 0; offset += piece) {
        size_t length = (size_t)(size - offset < piece ? size - offset : piece);
        // PROT_NONE: the range only has to be mapped for mincore to look at the cache behind it.
        void *address = mmap(NULL, length, PROT_NONE, MAP_SHARED, descriptor, (off_t)offset);
        if (address == MAP_FAILED) {
            status = errno;
            break;
        }
        uint64_t pages = (length + (uint64_t)page - 1) / (uint64_t)page;
        if (mincore(address, length, vector) != 0) {
            status = errno;
        } else {
            for (uint64_t index = 0; index < pages; index++) *resident += vector[index] & 1;
            *total += pages;
        }
        if (munmap(address, length) != 0 && status == 0) status = errno;
    }
    free(vector);
    return status;
}
