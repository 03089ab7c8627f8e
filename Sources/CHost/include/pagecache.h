// The page cache of one open file: what is resident, and asking the kernel to drop it.
#pragma once

#include <stdint.h>

/// Writes back what is dirty and asks the kernel to drop the file's pages (posix_fadvise(2), DONTNEED).
///
/// 0 or an errno. It is a request: pages that a process has mapped, or that are under I/O, stay. Looking at
/// `chost_pages_resident` afterwards is the only proof.
int chost_pages_drop(int descriptor);

/// Whether the file lives in memory (tmpfs, ramfs), so that it can never be read from anywhere: 1 or 0.
int chost_pages_kept(int descriptor);

/// Tells the kernel that the file will be read once from front to back. 0 or an errno; a hint only.
int chost_pages_sequential(int descriptor);

/// Whether mincore(2) tells this process the truth about the file: 1 or 0.
///
/// Since Linux 5.2 (mm/mincore.c, can_do_mincore) it calls every page resident unless the caller owns the
/// file or may write it.
int chost_pages_visible(int descriptor);

/// Counts the resident pages among the first `size` bytes, through mappings of at most 1 GiB.
///
/// 0 or an errno; nothing is read from the file and no page is brought in.
int chost_pages_resident(int descriptor, uint64_t size, uint64_t *resident, uint64_t *total);
