#!/usr/bin/env bash
# Deploys things.

set -euo pipefail

source "$(dirname "$0")/lib.sh"
. ./common.sh
source ~/.profile || true

VERSION=1.2
readonly LIMIT=10 STEP
declare -r NAME="store"
declare -A colors=([red]=1 [blue]=2)
export PATH="$HOME/bin:$PATH" LANG
typeset -i count=0
files=(*.txt)
colors[green]=3
files+=(more)

alias ll='ls -l' la="ls -a"

# Says it.
#
# $1: what
function say {
    local text=$1 other
    printf '%s\n' "$text" >&2
    result=$text
}

# Reads all.
read_all() {
    for file in "$@"; do
        if [[ -f $file && -r $file ]] || test -d "$file"; then
            say "$file"
        elif [ -L "$file" ]; then
            continue
        fi
    done
    while read -r line; do
        case $line in
            a* | b*) say a ;;
            c) say c ;;
            *) say other ;;
        esac
    done < list
    until false; do break; done
    nested() {
        cat <<-END
			function not_code() { echo; }
		END
    }
    for ((i = 0; i < 3 && i != 2; i++)); do :; done
}

function with_both() (
    cd /tmp
)

if [ -z "${CI:-}" ]; then
    DEBUG=1
    helper() { :; }
fi

main() { read_all "$@"; }
main "$@"
