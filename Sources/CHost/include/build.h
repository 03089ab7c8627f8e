// Facts of this build, fixed when it was compiled.
#pragma once

/// Commit of the sources, "unknown" outside the scripts.
const char *chost_build_commit(void);
/// Version of the llama.cpp headers the llama worker was compiled against, "" when it was built without.
const char *chost_build_llama_version(void);
/// "release" or "debug".
const char *chost_build_type(void);
/// Compiler of the C sources, e.g. "clang 17.0.0".
const char *chost_build_compiler(void);
/// What the compiler's own macros tell of its flags: architecture, optimization, sanitizers.
const char *chost_build_flags(void);
