# System packages: the one list of what a build needs from the distribution. To be sourced.
# shellcheck shell=bash

# package, then how to see that it is there without dpkg (another distribution, or an own build).
PACKAGES=(
    "g++ command:c++"
    "cmake command:cmake"
    "ninja-build command:ninja"
    "pkg-config command:pkg-config"
    "libsensors-dev header:sensors/sensors.h"
    "libpfm4-dev header:perfmon/pfmlib.h"
    "python3 command:python3"
    "python3-pip module:pip"
    "python3-venv module:ensurepip"
)

# What the simulated machine needs besides, which no build of sustain itself does.
# shellcheck disable=SC2034
SIMULATOR_PACKAGES=("libfuse3-dev header:fuse3/fuse_opt.h")

has_package() {
    local check=$2
    case $check in
        command:*) command -v "${check#*:}" >/dev/null ;;
        header:*) printf '#include <%s>\n' "${check#*:}" | cc -E -x c - >/dev/null 2>&1 ;;
        module:*) python3 -c "import ${check#*:}" >/dev/null 2>&1 ;;
    esac
}

# ensure_packages [ENTRY...]: the packages of every build, and these.
ensure_packages() {
    local entry name check missing=() installed=$'\n' wanted=("${PACKAGES[@]}" "$@")
    if command -v dpkg-query >/dev/null; then
        # dpkg-query fails when any name is unknown to it; what it does know is printed all the same.
        installed+=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]%% *}" 2>/dev/null || true)$'\n'
    fi
    for entry in "${wanted[@]}"; do
        name=${entry%% *} check=${entry#* }
        case $check in
            # A python3 of its own (pyenv, /usr/local) comes first in PATH and does not see Debian's
            # modules: only asking it tells. Names of Debian packages say nothing about it.
            module:*) ;;
            *) if [[ $installed == *$'\n'"$name installed"$'\n'* ]]; then continue; fi ;;
        esac
        has_package "$name" "$check" || missing+=("$name")
    done
    if ((${#missing[@]} == 0)); then return 0; fi
    if ! command -v apt-get >/dev/null; then
        die "system packages" "missing: ${missing[*]}; this system has no apt-get to install them" \
            "install what your distribution calls them (they are Debian's names), then call this again"
    fi
    say "installing ${missing[*]}"
    # A stale or broken third-party list must not stop us here: the installation itself tells.
    as_root apt-get update -q >&2 || true
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        "${missing[@]}" >&2 ||
        die "system packages" "apt-get could not install: ${missing[*]}" "read apt-get's message above"
    hash -r
    for entry in "${wanted[@]}"; do
        name=${entry%% *} check=${entry#* }
        has_package "$name" "$check" ||
            die "$name" "still not found after its installation ($check)" \
                "look which $(basename "${check#*:}") comes first in PATH: $(command -v python3 || true)"
    done
}

ensure_swift() {
    command -v swift >/dev/null ||
        die "swift" "not found in PATH" "install Swift 6.2 or newer for Linux and put its usr/bin in PATH"
}
