#include "heap.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

int chost_heap_trim(void) { return malloc_trim(0); }

#else

int chost_heap_trim(void) { return 0; }

#endif
