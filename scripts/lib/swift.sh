# One place for the flags of every swift build: SwiftPM rebuilds, or overwrites a worker with another
# one, when two calls on a scratch path differ in traits or linker flags. To be sourced after llama.sh.
# shellcheck shell=bash disable=SC2034

# swift_flags llama|plain|simulator: sets SWIFT_FLAGS and BUILD_DIR, and exports what Package.swift reads. The
# simulated machine is built wherever its library is, so that all calls agree.
swift_flags() {
    local commit prefix traits=
    if has_package "${SIMULATOR_PACKAGES[@]%% *}" "${SIMULATOR_PACKAGES[@]#* }"; then traits=Simulator; fi
    SWIFT_FLAGS=(--package-path "$ROOT")
    # Not by SwiftPM's own Context.gitInformation: it goes stale after a commit.
    commit=$(git -C "$ROOT" rev-parse --short=12 HEAD 2>/dev/null || true)
    if [ -n "$commit" ] && [ -n "$(git -C "$ROOT" status --porcelain 2>/dev/null)" ]; then
        commit+=-dirty
    fi
    export SUSTAIN_COMMIT=${commit:-unknown}
    unset SUSTAIN_LLAMA_VERSION
    case $1 in
        llama)
            prefix=$(llama_prefix)
            export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
            SUSTAIN_LLAMA_VERSION=$(pkg-config --modversion llama)
            export SUSTAIN_LLAMA_VERSION
            BUILD_DIR=$ROOT/.build
            traits=Llama${traits:+,$traits}
            SWIFT_FLAGS+=(-Xlinker -rpath -Xlinker "$prefix/lib")
            ;;
        plain) BUILD_DIR=$ROOT/.build-plain ;;
        simulator) BUILD_DIR=$ROOT/.build-simulator ;;
        *) die "swift_flags $1" "no such flavour" "pass llama, plain or simulator" ;;
    esac
    if [ -n "$traits" ]; then SWIFT_FLAGS+=(--traits "$traits"); fi
    SWIFT_FLAGS+=(--scratch-path "$BUILD_DIR")
    forget_stale_modules
}

# A C target without an umbrella header is a module of all headers in its folder, and clang's cache does
# not notice a new one: after a pull, an incremental build would not find what that header declares.
forget_stale_modules() {
    local headers
    headers=$(cd "$ROOT" && printf '%s\n' Sources/*/include/*.h)
    if [ "$(cat "$BUILD_DIR/.headers" 2>/dev/null || true)" = "$headers" ]; then return 0; fi
    rm -rf "$BUILD_DIR"/*/debug/ModuleCache "$BUILD_DIR"/*/release/ModuleCache
    mkdir -p "$BUILD_DIR"
    printf '%s\n' "$headers" >"$BUILD_DIR/.headers"
}

# build_release llama|plain: the programs, in .build/release or .build-plain/release.
build_release() {
    swift_flags "$1"
    swift build -c release --static-swift-stdlib "${SWIFT_FLAGS[@]}" >&2
}
