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

const char *chost_build_flags(void) {
    return
#if defined(__x86_64__)
        "x86-64"
#elif defined(__aarch64__)
        "aarch64"
#else
        "another architecture"
#endif
#ifdef __AVX512F__
        " +avx512f"
#elif defined(__AVX2__)
        " +avx2"
#endif
#ifdef __OPTIMIZE_SIZE__
        ", optimized for size"
#elif defined(__OPTIMIZE__)
        ", optimized"
#else
        ", not optimized"
#endif
#ifdef NDEBUG
        ", no assertions"
#endif
#if __has_feature(address_sanitizer)
        ", address sanitizer"
#endif
#if __has_feature(thread_sanitizer)
        ", thread sanitizer"
#endif
        ;
}
