# Shared by every script: where things are, how to speak, how to fail. To be sourced.
# shellcheck shell=bash disable=SC2034
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
DEPS=$ROOT/.deps

# Everything a script says goes to stderr: stdout belongs to the program it starts.
say() { printf '== %s\n' "$*" >&2; }

# die THING CAUSE REMEDY
die() {
    printf 'error: %s: %s\n  remedy: %s\n' "$1" "$2" "$3" >&2
    exit 1
}

usage_error() {
    printf 'error: %s\n  remedy: see %s --help\n' "$1" "scripts/$(basename "$0")" >&2
    exit 2
}

# The comment block at the top of a script is its help, so the two cannot differ.
print_help() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"; }

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "$1" "it needs root, and sudo is not installed" "as root, run: $*"
    fi
}

sha256_of() { sha256sum -- "$1" | cut -d' ' -f1; }

# Two scripts at once (an editor's test run beside a quickstart) must not build into the same folder.
with_deps_lock() {
    mkdir -p "$DEPS"
    (
        flock -n 9 || { say "waiting for another script's set-up to finish"; flock 9; }
        "$@" 9>&-
    ) 9>"$DEPS/lock"
}
