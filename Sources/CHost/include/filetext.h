// Texts inside a file of machine code: what its compiler left in it.
#pragma once
#include <stddef.h>
#include <sys/types.h>

/// Looks for `start` among the bytes of a file and copies the printable ASCII from there on.
/// \param size Room in `text`, the ending zero included.
/// \returns how many characters were copied, 0 when `start` is nowhere, or -errno.
ssize_t chost_file_text(const char *path, const char *start, char *text, size_t size);
