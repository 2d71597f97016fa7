#!/usr/bin/env bash
# Each header compiles on its own, without warnings: check.sh <compiler> <flags file>, from the project's root.
set -euo pipefail
export compiler=$1 flags=$2

check() {
  local output
  output=$("$compiler" "@$flags" -fsyntax-only -Wall -Wextra -include "$1" -x c++ /dev/null 2>&1) || { echo "$output"; return 1; }
  # Views have gradients that sum, and sums have gradients that are views: of what one header declares for another to define,
  # the other may be missing.
  output=$(grep -E 'warning:' <<< "$output" | grep -vE 'used but never defined|Wundefined-inline') || return 0
  echo "$output"
  return 1
}
export -f check

# Those that include <mpi.h>, where it is.
without=()
"$compiler" "@$flags" -fsyntax-only -include mpi.h -x c++ /dev/null 2> /dev/null || without=(-not -path '*/distributed*')

find include/kroton -name '*.hpp' "${without[@]}" | sort | xargs -P 2 -I HEADER bash -c 'check HEADER'
