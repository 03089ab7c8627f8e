# All of the library, in the order in which the parts need one another. To be sourced.
# shellcheck shell=bash source-path=SCRIPTDIR
LIB=$(dirname "${BASH_SOURCE[0]}")
source "$LIB/common.sh"
source "$LIB/packages.sh"
source "$LIB/fetch.sh"
source "$LIB/llama.sh"
source "$LIB/python.sh"
source "$LIB/swift.sh"

# set_up llama|plain yes|no [PREFIX]: what must exist before a build; the second argument asks for the model.
set_up() {
    ensure_packages
    if [ "$1" = llama ]; then
        if [ -n "${3:-}" ]; then use_llama_prefix "$3"; fi
        ensure_llama
    fi
    if [ "$2" = yes ]; then ensure_model; fi
}
