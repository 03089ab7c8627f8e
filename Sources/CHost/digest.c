#include "digest.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The part of OpenSSL's EVP interface that is used (EVP_DigestInit(3)); its headers are not needed, since
// these signatures are the same in 1.1 and 3.x.
struct chost_sha256 {
    void *context;
    int (*update)(void *context, const void *bytes, size_t count);
    int (*final)(void *context, unsigned char *digest, unsigned int *size);
    void (*free)(void *context);
};

static void *symbol(void *library, const char *name, char *why, size_t why_size) {
    void *address = dlsym(library, name);
    if (!address && why_size > 0) snprintf(why, why_size, "libcrypto has no %s", name);
    return address;
}

// ISO C has no conversion from an object pointer to a function pointer; POSIX has (dlsym(3)).
#define LOAD(target, library, name)                                   \
    do {                                                              \
        void *address = symbol(library, name, why, why_size);         \
        if (!address) return NULL;                                    \
        memcpy(&(target), &address, sizeof(target));                  \
    } while (0)

chost_sha256 *chost_sha256_new(const char *soname, char *why, size_t why_size) {
    if (why_size > 0) why[0] = '\0';
    void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *message = dlerror();
        if (why_size > 0) snprintf(why, why_size, "%s", message ? message : "dlopen failed");
        return NULL;
    }

    void *(*new_context)(void);
    const void *(*algorithm)(void);
    int (*init)(void *context, const void *algorithm, void *engine);
    struct chost_sha256 made;
    LOAD(new_context, library, "EVP_MD_CTX_new");
    LOAD(algorithm, library, "EVP_sha256");
    LOAD(init, library, "EVP_DigestInit_ex");
    LOAD(made.update, library, "EVP_DigestUpdate");
    LOAD(made.final, library, "EVP_DigestFinal_ex");
    LOAD(made.free, library, "EVP_MD_CTX_free");

    made.context = new_context();
    if (!made.context) {
        if (why_size > 0) snprintf(why, why_size, "out of memory");
        return NULL;
    }
    chost_sha256 *hash = malloc(sizeof *hash);
    if (!hash || init(made.context, algorithm(), NULL) != 1) {
        if (why_size > 0) snprintf(why, why_size, "libcrypto refuses to start a SHA-256");
        made.free(made.context);
        free(hash);
        return NULL;
    }
    *hash = made;
    return hash;
}

int chost_sha256_update(chost_sha256 *hash, const void *bytes, size_t count) {
    return hash->update(hash->context, bytes, count) == 1 ? 0 : -1;
}

int chost_sha256_final(chost_sha256 *hash, unsigned char digest[32]) {
    unsigned int size = 0;
    return hash->final(hash->context, digest, &size) == 1 && size == 32 ? 0 : -1;
}

void chost_sha256_free(chost_sha256 *hash) {
    if (!hash) return;
    hash->free(hash->context);
    free(hash);
}
