# llama.cpp: our own pinned build in .deps/llama, or a user's install. To be sourced after fetch.sh.
# shellcheck shell=bash

LLAMA_CMAKE=(
    -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_LIBDIR=lib
    '-DCMAKE_INSTALL_RPATH=$ORIGIN' -DGGML_CCACHE=OFF -DLLAMA_OPENSSL=OFF
    -DLLAMA_BUILD_COMMON=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF
    -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_APP=OFF
    -DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF
    # Left alone, its build asks git and bakes in the commit of whatever work tree it finds around it.
    -DGIT_EXE= -DLLAMA_BUILD_NUMBER=0 "-DLLAMA_BUILD_COMMIT=$LLAMA_COMMIT"
)

# Parts of the archive that no build here reads; they are most of its files.
LLAMA_UNUSED=(docs media models tests examples app ci gguf-py conversion benches pocs grammars
    .git .github .devops tools/server/webui tools/ui)

# The directory that holds the libllama in use.
llama_prefix() {
    if [ -f "$DEPS/llama-prefix" ]; then cat "$DEPS/llama-prefix"; else printf '%s\n' "$DEPS/llama"; fi
}

# What a build depends on: the source, its options, and the instruction sets of this CPU, because
# ggml compiles for the machine it is built on and dies of SIGILL on a lesser one.
llama_key() {
    {
        printf '%s\n' "$LLAMA_SDIST_SHA256" "${LLAMA_CMAKE[@]}"
        uname -m
        grep -m1 -E '^(flags|Features)' /proc/cpuinfo | tr ' \t' '\n\n' |
            grep -E '^(s?sse|avx|fma|f16c|bmi|amx|sve|asimd|i8mm|bf16)' | sort || true
    } | sha256sum | cut -d' ' -f1
}

# unpack_llama_source DIR: the sources, without what no build needs.
unpack_llama_source() {
    local part without=()
    for part in "${LLAMA_UNUSED[@]}"; do without+=(-x "$part"); done
    python3 "$ROOT/scripts/lib/unpack.py" tree "$DEPS/downloads/$LLAMA_SDIST" vendor/llama.cpp "$1" \
        "${without[@]}"
}

fetch_llama_source() {
    fetch_pinned "$LLAMA_SDIST" "$LLAMA_SDIST_PIN" "$LLAMA_SDIST_SHA256" --no-binary llama-cpp-python
}

# make_relocatable FILE: paths relative to the .pc file, so that the folder can be built in one place and
# moved to another.
make_relocatable() {
    sed -i -e 's|^prefix=.*|prefix=${pcfiledir}/../..|' -e 's|^exec_prefix=.*|exec_prefix=${prefix}|' \
        -e 's|^libdir=.*|libdir=${prefix}/lib|' -e 's|^includedir=.*|includedir=${prefix}/include|' "$1"
}

ensure_llama() {
    local key work stage
    if [ -f "$DEPS/llama-prefix" ]; then
        check_llama_prefix "$(llama_prefix)"
        return 0
    fi
    key=$(llama_key)
    if [ "$(cat "$DEPS/llama/.stamp" 2>/dev/null || true)" = "$key" ]; then return 0; fi
    fetch_llama_source
    # Outside the repository: see GIT_EXE above, and SwiftPM need not look through it.
    work=$(mktemp -d "${TMPDIR:-/tmp}/sustain-llama.XXXXXX")
    # What a killed build left behind; under the lock nobody else's can be there.
    rm -rf "$DEPS"/llama.tmp.*
    stage=$(mktemp -d "$DEPS/llama.tmp.XXXXXX")
    # shellcheck disable=SC2064
    trap "rm -rf '$work' '$stage'" EXIT
    say "building llama.cpp $LLAMA_COMMIT (libllama and ggml only; about two minutes on two cores)"
    unpack_llama_source "$work/src"
    if ! { cmake -S "$work/src" -B "$work/build" "-DCMAKE_INSTALL_PREFIX=$stage" "${LLAMA_CMAKE[@]}" &&
        cmake --build "$work/build" -j "$(nproc)" && cmake --install "$work/build"; } \
        >"$DEPS/llama-build.log" 2>&1; then
        tail -n 25 "$DEPS/llama-build.log" >&2
        die "llama.cpp" "its build failed; the whole log is .deps/llama-build.log" \
            "mend what the lines above name, or pass --llama-prefix with an install of your own"
    fi
    make_relocatable "$stage/lib/pkgconfig/llama.pc"
    printf '%s\n' "$key" >"$stage/.stamp"
    chmod 755 "$stage"
    rm -rf "$DEPS/llama"
    mv "$stage" "$DEPS/llama"
    rm -rf "$work"
    trap - EXIT
}

# check_llama_prefix DIR: names the first thing that an own install lacks.
check_llama_prefix() {
    local prefix=$1 file
    for file in lib/pkgconfig/llama.pc include/llama.h lib/libllama.so; do
        [ -e "$prefix/$file" ] ||
            die "llama prefix $prefix" "it has no $file" \
                "install llama.cpp there with: cmake -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX=$prefix ..., or go back to our build with scripts/bootstrap --llama-prefix bundled"
    done
}

# use_llama_prefix DIR|bundled: remembered, so that later calls of any script use the same library.
use_llama_prefix() {
    local prefix
    mkdir -p "$DEPS"
    if [ "$1" = bundled ]; then
        rm -f "$DEPS/llama-prefix"
        return 0
    fi
    prefix=$(cd "$1" 2>/dev/null && pwd -P) ||
        die "llama prefix $1" "no such directory" "pass the directory that holds lib/pkgconfig/llama.pc"
    check_llama_prefix "$prefix"
    printf '%s\n' "$prefix" >"$DEPS/llama-prefix"
}
