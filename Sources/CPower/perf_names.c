// libpfm4's header declares the kernel's structures itself, so that it cannot share a file with the kernel's.
#include "perf.h"

#include <dlfcn.h>
#include <errno.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <pthread.h>

static __typeof__(pfm_get_os_event_encoding) *encode;
// The library keeps no lock of its own.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int open_error = ELIBACC;

static void open_once(void) {
    void *handle = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return;
    __typeof__(pfm_initialize) *initialize = dlsym(handle, "pfm_initialize");
    encode = dlsym(handle, "pfm_get_os_event_encoding");
    if (initialize == NULL || encode == NULL) {
        (void)dlclose(handle);
        return;
    }
    // It finds no PMU in some virtual machines and says so here: then it knows no event.
    open_error = initialize() == PFM_SUCCESS ? 0 : ENOENT;
}

int cpower_perf_encode(const char *name, struct cpower_perf_event *event) {
    int error = pthread_once(&once, open_once);
    if (error != 0) return error;
    if (open_error != 0) return open_error;

    struct perf_event_attr attributes = {.size = sizeof attributes};
    pfm_perf_encode_arg_t request = {.attr = &attributes, .size = sizeof request};
    if ((error = pthread_mutex_lock(&lock)) != 0) return error;
    pfm_err_t result = encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &request);
    if ((error = pthread_mutex_unlock(&lock)) != 0) return error;
    if (result != PFM_SUCCESS) return ENOENT;
    event->type = attributes.type;
    event->config = attributes.config;
    return 0;
}
