// The C allocator of this process.
#pragma once

/// Gives free memory of the heap back to the kernel, so that resident memory shows what was freed. Returns 1
/// when some was given back, 0 when not or when the C library has no such call. (malloc_trim(3))
int chost_heap_trim(void);
