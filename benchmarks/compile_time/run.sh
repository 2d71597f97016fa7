#!/usr/bin/env bash
# What the compilers cost: run.sh [compiler...], by default g++ and clang++-19.
#
# A line is the median of three runs at one level of optimization. "ms/node" is the time beyond the
# bare header's, over the number of nodes. KROTON_RUNS and KROTON_NODES change the defaults.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")"
runs=${KROTON_RUNS:-3}
nodes=${KROTON_NODES:-10 30 100 300 1000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# median: of the numbers on standard input
median() { sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

# measure <command>: sets seconds and peak, the medians; false when the command fails
measure() {
  : > "$work/seconds" && : > "$work/peak"
  for ((run = 0; run < runs; ++run)); do
    if [[ -x /usr/bin/time ]]; then
      /usr/bin/time -o "$work/time" -f '%e %M' "$@" 2> "$work/errors" || return 1
      read -r s kib < <(tail -n 1 "$work/time")
      echo "$((kib / 1024))" >> "$work/peak"
    else
      local begin end
      begin=$(date +%s.%N)
      "$@" 2> "$work/errors" || return 1
      end=$(date +%s.%N)
      s=$(awk "BEGIN {print $end - $begin}")
      echo - >> "$work/peak"
    fi
    echo "$s" >> "$work/seconds"
  done
  seconds=$(median < "$work/seconds")
  peak=$(median < "$work/peak")
}

# row <name> <source> <nodes> [flags]
row() {
  local name=$1 source=$2 count=$3 each=- kib
  shift 3
  if ! measure "$compiler" "${flags[@]}" "$level" "$@" -c "$source" -o "$work/object"; then
    printf '%-22s does not compile: %s\n' "$name" "$(grep -m 1 'error' "$work/errors")"
    failed=1
    return
  fi
  [[ $source == kroton_header.cpp ]] && bare=$seconds
  [[ $count != - ]] && each=$(awk "BEGIN {printf \"%.2f\", ($seconds - ${bare:-0}) * 1000 / $count}")
  kib=$((($(wc -c < "$work/object") + 1023) / 1024))
  printf '%-22s %8.2f %8s %8s %8d\n' "$name" "$seconds" "$peak" "$each" "$kib"
}

failed=0
(($#)) || set -- g++ clang++-19
for compiler; do
  command -v "$compiler" > /dev/null || { echo "no $compiler here"; continue; }
  flags=(-std=c++20 -I ../../include)
  if "$compiler" --version | grep -q clang; then
    flags+=(-fconstexpr-steps=1000000000)
  else
    flags+=(-fconstexpr-ops-limit=1000000000 -fconstexpr-loop-limit=10000000)
  fi
  for level in -O0 -O2; do
    bare=
    printf '\n%s %s\n' "$("$compiler" --version | head -n 1)" "$level"
    printf '%-22s %8s %8s %8s %8s\n' '' seconds MiB ms/node KiB
    row 'other headers' headers.cpp -
    row 'kroton/kroton.hpp' kroton_header.cpp -
    row 'logistic regression' logistic_regression.cpp -
    row 'runtime.hpp, library' runtime_header.cpp - -DKROTON_RUNTIME_LIBRARY
    row 'run-time graph' runtime_graph.cpp - -DKROTON_RUNTIME_LIBRARY
    row 'runtime.hpp, alone' runtime_header.cpp -
    row 'run-time graph' runtime_graph.cpp -
    for n in $nodes; do
      row "growth, $n nodes" growth.cpp "$n" "-DNODES=$n"
    done
  done
done
exit $failed
