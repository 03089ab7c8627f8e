#include "build.h"

const char *chost_build_commit(void) { return SUSTAIN_COMMIT; }

const char *chost_build_llama_version(void) { return SUSTAIN_LLAMA_VERSION; }

const char *chost_build_type(void) {
#ifdef __OPTIMIZE__
    return "release";
#else
    return "debug";
#endif
}

const char *chost_build_compiler(void) { return __VERSION__; }
