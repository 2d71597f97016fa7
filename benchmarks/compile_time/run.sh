#!/usr/bin/env bash
# What the compilers cost: run.sh [--record] [compiler...], by default g++ and clang++-19.
#
# A line is the least of three runs at one level of optimization, in processor time of the user, which other work on the machine
# disturbs least. "ms/node" is the time beyond 100 nodes', or the header's, over the number of nodes beyond; "symbol" is the length of
# the longest name in the object. KROTON_RUNS, KROTON_NODES and KROTON_LEVELS change the defaults.
#
# recorded.txt holds what a line cost when it was recorded, relative to the other libraries' headers, so that it means something on
# other machines, and in which phases. A line that costs a tenth more says so, and which phase grew the most; --record writes the file.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")"
runs=${KROTON_RUNS:-3}
nodes=${KROTON_NODES:-10 30 100 300 1000 2000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/kept"

# calculate <awk expression>
calculate() { awk "BEGIN {printf \"%.3f\", ($1)}"; }

# measure <command>: sets seconds and peak, the least; false when the command fails
measure() {
  seconds= peak=-
  local run s kib
  for ((run = 0; run < runs; ++run)); do
    if [[ -x /usr/bin/time ]]; then
      /usr/bin/time -o "$work/time" -f '%U %M' "$@" 2> "$work/errors" || return 1
      read -r s kib < <(tail -n 1 "$work/time")
      peak=$((kib / 1024))
    else
      s=$( (TIMEFORMAT=%U; time "$@" 2> "$work/errors") 2>&1) || return 1
    fi
    [[ $seconds && $(calculate "$s >= $seconds") == 1.000 ]] || seconds=$s
  done
}

# phases <command>: the seconds that the compiler itself gives for parsing (the headers, for the most part), constant evaluation,
# instantiation of templates, and generating code. (clang's overlap.)
phase_names=(headers evaluation instantiation code)
phases() {
  if [[ $is_clang ]]; then
    "$@" -ftime-trace="$work/trace.json" 2> /dev/null
    grep -oE '"dur":[0-9]+,"name":"Total [A-Za-z]*"' "$work/trace.json" | sed 's/"dur"://; s/,"name":"Total / /; s/"$//' |
      awk '{s[$2] = $1 / 1e6} END {printf "%.2f %.2f %.2f %.2f\n", s["Source"], s["EvaluateAsInitializer"],
            s["InstantiateFunction"] + s["InstantiateClass"], s["Backend"]}'
  else
    "$@" -ftime-report 2>&1 |
      awk -F: '{split($2, part, " "); s[$1] += part[1]; sub(/ +$/, "", $1); s[$1] = part[1]}
           END {e = s[" constant expression evaluation"]; i = s[" template instantiation"]; c = s[" phase opt and generate"];
                printf "%.2f %.2f %.2f %.2f\n", s[" TOTAL"] - e - i - c, e, i, c}'
  fi
}

# compare <name> <command...>: notes what a line costs for --record, and says what has become of what is recorded
compare() {
  local key="$compiler $level $1" relative old now before i most= growth=0 grown
  shift
  relative=$(calculate "$seconds / $others")
  if [[ $record ]]; then
    printf '%s\t%s\t%s\n' "$key" "$relative" "$(phases "$@")" >> "$work/recorded"
    return
  fi
  old=$(awk -F '\t' -v key="$key" '$1 == key {print $2}' recorded.txt 2> /dev/null || true)
  [[ $old && $(calculate "$relative > 1.1 * $old") == 1.000 ]] || return 0
  read -r -a before < <(awk -F '\t' -v key="$key" '$1 == key {print $3}' recorded.txt)
  read -r -a now < <(phases "$@")
  for i in "${!phase_names[@]}"; do
    # The machine that recorded had another speed.
    grown=$(calculate "(${now[i]} - ${before[i]} * ($seconds / $relative) / $recorded_others)")
    [[ $(calculate "$grown > $growth") == 1.000 ]] && growth=$grown most=${phase_names[i]}
  done
  printf '  SLOWER than recorded: %.0f%%, the most in: %s (%+.2f s)\n' "$(calculate "($relative / $old - 1) * 100")" "${most:-none}" "$growth"
  slower=1
}

# row <name> <source> <nodes> [flags]
row() {
  local name=$1 source=$2 count=$3 each=- kib longest
  shift 3
  local command=("$compiler" "${flags[@]}" "$level" "$@" -c "$source" -o "$work/object")
  if ! measure "${command[@]}"; then
    printf '%-22s does not compile: %s\n' "$name" "$(grep -m 1 'error' "$work/errors")"
    failed=1
    return
  fi
  [[ $source == headers.cpp ]] && others=$seconds
  [[ $source == kroton_header.cpp ]] && base=$seconds base_nodes=0
  [[ $count != - ]] && each=$(calculate "($seconds - ${base:-0}) * 1000 / ($count - ${base_nodes:-0})")
  [[ $count == 100 ]] && base=$seconds base_nodes=100
  kib=$((($(wc -c < "$work/object") + 1023) / 1024))
  longest=$(nm "$work/object" | awk '{n = length($NF); if (n > most) most = n} END {print most + 0}')
  printf '%-22s %8.2f %8s %8s %8d %8d\n' "$name" "$seconds" "$peak" "$each" "$kib" "$longest"
  compare "$name" "${command[@]}"
}

record=
if [[ ${1-} == --record ]]; then record=1 && shift; fi
failed=0 slower=
(($#)) || set -- g++ clang++-19
for compiler; do
  command -v "$compiler" > /dev/null || { echo "no $compiler here"; continue; }
  flags=(-std=c++20 -I ../../include) is_clang=
  if "$compiler" --version | grep -q clang; then
    flags+=(-fconstexpr-steps=1000000000) is_clang=1
  else
    flags+=(-fconstexpr-ops-limit=1000000000 -fconstexpr-loop-limit=10000000 --param=ggc-min-heapsize=500000)  # as CMake does
  fi
  for level in ${KROTON_LEVELS:--O0 -O2}; do
    base= base_nodes=0
    recorded_others=$(awk -F '\t' -v key="$compiler $level seconds of the other headers" '$1 == key {print $2}' recorded.txt 2> /dev/null || true)
    printf '\n%s %s\n' "$("$compiler" --version | head -n 1)" "$level"
    printf '%-22s %8s %8s %8s %8s %8s\n' '' seconds MiB ms/node KiB symbol
    row 'other headers' headers.cpp -
    [[ $record ]] && printf '%s\t%s\n' "$compiler $level seconds of the other headers" "$others" >> "$work/recorded"
    row 'kroton/kroton.hpp' kroton_header.cpp -
    row 'logistic regression' logistic_regression.cpp -
    row 'perceptron' perceptron.cpp -
    row 'runtime.hpp, library' runtime_header.cpp - -DKROTON_RUNTIME_LIBRARY
    row 'run-time graph' runtime_graph.cpp - -DKROTON_RUNTIME_LIBRARY
    row 'runtime.hpp, alone' runtime_header.cpp -
    row 'run-time graph, alone' runtime_graph.cpp -
    # Of these "ms/node" is the time of a layer, or of a step.
    for n in 10 40; do
      row "layers, $n" layers.cpp "$n" "-DLAYERS=$n"
    done
    [[ $level == -O0 ]] || for n in 20 100; do
      row "recurrence, $n" recurrence.cpp "$n" "-DSTEPS=$n" -O3
    done
    for n in $nodes; do
      row "growth, $n nodes" growth.cpp "$n" "-DNODES=$n"
    done
  done
done
if [[ $record ]]; then
  # What was not measured now stays.
  if [[ -f recorded.txt ]]; then awk -F '\t' 'NR == FNR {new[$1] = 1; next} !($1 in new)' "$work/recorded" recorded.txt > "$work/kept"; fi
  sort "$work/recorded" "$work/kept" > recorded.txt
fi
[[ $slower ]] && echo "Something costs the compiler a tenth more than recorded; see above."
exit $failed
