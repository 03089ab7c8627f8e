# The Python environment of make-model and of the tests that need Python. To be sourced.
# shellcheck shell=bash

VENV_PYTHON=$DEPS/venv/bin/python

ensure_venv() {
    local key
    key=$(cat "$ROOT/scripts/requirements.txt" - <<<"$(python3 -c 'import sys; print(sys.version, sys.prefix)')" |
        sha256sum | cut -d' ' -f1)
    if [ "$(cat "$DEPS/venv/.stamp" 2>/dev/null || true)" = "$key" ] && [ -x "$VENV_PYTHON" ]; then
        return 0
    fi
    say "making the Python environment (.deps/venv)"
    # A venv cannot be moved (its scripts name their own path), so the stamp comes last instead.
    rm -rf "$DEPS/venv"
    mkdir -p "$DEPS"
    python3 -m venv "$DEPS/venv" >&2 ||
        die ".deps/venv" "python3 -m venv failed" "install your distribution's python3-venv"
    "$VENV_PYTHON" -m pip install --quiet --no-deps --no-cache-dir --only-binary :all: --require-hashes \
        -r "$ROOT/scripts/requirements.txt" >&2 ||
        die ".deps/venv" "pip could not install scripts/requirements.txt" \
            "check the network; wheels are pinned for CPython 3.11 to 3.14, this one is $(python3 -V)"
    printf '%s\n' "$key" >"$DEPS/venv/.stamp"
}
