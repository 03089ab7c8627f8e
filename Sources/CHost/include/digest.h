// SHA-256 through OpenSSL's libcrypto, found at run time so that it may be absent.
#pragma once

#include <stddef.h>

/// A running SHA-256; made by `chost_sha256_new`, freed by `chost_sha256_free`.
typedef struct chost_sha256 chost_sha256;

/// Starts a hash with the library of this soname ("libcrypto.so.3").
///
/// NULL on failure, with one line of English in `why` (always terminated when `why_size` > 0): the loader's
/// message where the library or one of its symbols is missing. The library stays loaded once it was found:
/// OpenSSL registers exit handlers and must not be unmapped.
chost_sha256 *chost_sha256_new(const char *soname, char *why, size_t why_size);

/// Adds bytes. 0, or -1 when the library refuses; the hash is then good only for `chost_sha256_free`.
int chost_sha256_update(chost_sha256 *hash, const void *bytes, size_t count);

/// Ends the hash and writes its 32 bytes. 0, or -1 when the library refuses.
int chost_sha256_final(chost_sha256 *hash, unsigned char digest[32]);

/// Frees a hash, finished or not; NULL is allowed.
void chost_sha256_free(chost_sha256 *hash);
