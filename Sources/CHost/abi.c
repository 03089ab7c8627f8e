#include "abi.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)

enum { FRAME_BYTES = 4096 };

typedef void *(*returning_in_memory)(void *result, void *pointer, long number);

// A byte that happens to be written with the filling is missed: two fillings tell.
static size_t written_over(returning_in_memory function, unsigned char filling) {
    _Alignas(64) unsigned char frame[FRAME_BYTES];
    memset(frame, filling, sizeof frame);
    function(frame, NULL, 0);
    size_t end = sizeof frame;
    while (end > 0 && frame[end - 1] == filling) {
        end--;
    }
    return end;
}

ssize_t chost_returned_extent(void *function) {
    returning_in_memory call = (returning_in_memory)function;
    size_t first = written_over(call, 0xA5);
    size_t second = written_over(call, 0x5A);
    return (ssize_t)(first > second ? first : second);
}

#else

ssize_t chost_returned_extent(void *function) {
    (void)function;
    errno = ENOTSUP;
    return -1;
}

#endif
