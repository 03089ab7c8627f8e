#include "nvml_abi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cpower_nvml *libraries = NULL;

const char *cpower_secure_environment(const char *name) { return secure_getenv(name); }

static void say(char *text, size_t capacity, const char *words) {
    // Cut where it does not fit.
    if (capacity > 0) (void)snprintf(text, capacity, "%s", words != NULL ? words : "");
}

// The newest of the names that the library has; some functions were renamed, some only versioned.
static void *symbol(void *handle, const char *name, const char *older) {
    void *address = dlsym(handle, name);
    return address == NULL && older != NULL ? dlsym(handle, older) : address;
}

static void bind_optional(struct cpower_nvml *library, void *handle) {
    library->error_text = symbol(handle, "nvmlErrorString", NULL);
    library->driver = symbol(handle, "nvmlSystemGetDriverVersion", NULL);
    library->uuid = symbol(handle, "nvmlDeviceGetUUID", NULL);
    library->name = symbol(handle, "nvmlDeviceGetName", NULL);
    library->vbios = symbol(handle, "nvmlDeviceGetVbiosVersion", NULL);
    library->pci = symbol(handle, "nvmlDeviceGetPciInfo_v3", NULL);
    library->energy = symbol(handle, "nvmlDeviceGetTotalEnergyConsumption", NULL);
    library->power = symbol(handle, "nvmlDeviceGetPowerUsage", NULL);
    library->power_limit = symbol(handle, "nvmlDeviceGetPowerManagementLimit", NULL);
    library->power_default_limit = symbol(handle, "nvmlDeviceGetPowerManagementDefaultLimit", NULL);
    library->fields = symbol(handle, "nvmlDeviceGetFieldValues", NULL);
    library->temperature = symbol(handle, "nvmlDeviceGetTemperature", NULL);
    library->clock = symbol(handle, "nvmlDeviceGetClockInfo", NULL);
    library->throttle_reasons = symbol(
        handle, "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons");
    library->memory = symbol(handle, "nvmlDeviceGetMemoryInfo", NULL);
    library->mig_mode = symbol(handle, "nvmlDeviceGetMigMode", NULL);
    library->capability = symbol(handle, "nvmlDeviceGetCudaComputeCapability", NULL);
    // _v2 and _v3 fill the same structure; what had no suffix filled a shorter one and is not used.
    library->processes[CPOWER_NVML_COMPUTING] = symbol(
        handle, "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2");
    library->processes[CPOWER_NVML_DRAWING] = symbol(
        handle, "nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2");
    library->processes[CPOWER_NVML_SHARING] = symbol(
        handle, "nvmlDeviceGetMPSComputeRunningProcesses_v3", "nvmlDeviceGetMPSComputeRunningProcesses_v2");
    library->utilization = symbol(handle, "nvmlDeviceGetProcessUtilization", NULL);
}

static const char *missing_function(const struct cpower_nvml *library) {
    if (library->init == NULL) return "nvmlInit_v2";
    if (library->count == NULL) return "nvmlDeviceGetCount_v2";
    if (library->handle == NULL) return "nvmlDeviceGetHandleByIndex_v2";
    return NULL;
}

static int load(const char *path, struct cpower_nvml *library, char *text, size_t capacity) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        say(text, capacity, dlerror());
        return CPOWER_NVML_LIBRARY_NOT_FOUND;
    }
    library->init = symbol(handle, "nvmlInit_v2", NULL);
    library->count = symbol(handle, "nvmlDeviceGetCount_v2", NULL);
    library->handle = symbol(handle, "nvmlDeviceGetHandleByIndex_v2", NULL);
    bind_optional(library, handle);
    int code = CPOWER_NVML_FUNCTION_NOT_FOUND;
    const char *missing = missing_function(library);
    if (missing != NULL) {
        say(text, capacity, missing);
    } else {
        code = library->init();
        if (code == CPOWER_NVML_SUCCESS) return code;
        cpower_nvml_error_text(library, code, text, capacity);
    }
    // Nothing of it is kept; a failure to unload it would change nothing.
    (void)dlclose(handle);
    return code;
}

static struct cpower_nvml *find(const char *path) {
    for (struct cpower_nvml *library = libraries; library != NULL; library = library->next) {
        if (strcmp(library->path, path) == 0) return library;
    }
    return NULL;
}

static int open_locked(const char *path, struct cpower_nvml **library, char *text, size_t capacity) {
    *library = find(path);
    if (*library != NULL) return CPOWER_NVML_SUCCESS;
    struct cpower_nvml *new = calloc(1, sizeof *new);
    char *name = strdup(path);
    int code = CPOWER_NVML_LIBRARY_NOT_FOUND;
    if (new == NULL || name == NULL) {
        say(text, capacity, "out of memory");
    } else {
        code = load(path, new, text, capacity);
    }
    if (code != CPOWER_NVML_SUCCESS) {
        free(new);
        free(name);
        return code;
    }
    new->path = name;
    new->next = libraries;
    libraries = new;
    *library = new;
    return code;
}

int cpower_nvml_open(const char *path, struct cpower_nvml **library, char *text, size_t capacity) {
    *library = NULL;
    say(text, capacity, NULL);
    // A lock of the default kind, never held twice by one thread: it cannot fail.
    (void)pthread_mutex_lock(&lock);
    int code = open_locked(path, library, text, capacity);
    (void)pthread_mutex_unlock(&lock);
    return code;
}

int cpower_nvml_count(struct cpower_nvml *library, uint32_t *count) { return library->count(count); }

int cpower_nvml_device(struct cpower_nvml *library, uint32_t index, const void **device) {
    *device = NULL;
    if (index >= NVML_MOST_DEVICES) return CPOWER_NVML_INSUFFICIENT_SIZE;
    nvml_handle handle = NULL;
    int code = library->handle(index, &handle);
    if (code != CPOWER_NVML_SUCCESS) return code;
    (void)pthread_mutex_lock(&lock);
    struct nvml_bound_device *bound = &library->devices[index];
    *bound = (struct nvml_bound_device){.library = library, .handle = handle};
    (void)pthread_mutex_unlock(&lock);
    *device = bound;
    return code;
}

void cpower_nvml_error_text(const struct cpower_nvml *library, int code, char *text, size_t capacity) {
    const char *words = library->error_text != NULL ? library->error_text(code) : NULL;
    if (words != NULL) {
        say(text, capacity, words);
    } else if (capacity > 0) {
        (void)snprintf(text, capacity, "NVML code %d", code);
    }
}
