#!/usr/bin/env bash
# endings.sh <mpiexec> <program>: what becomes of the other ranks when one ends, gets stuck or is killed.
set -uo pipefail
mpiexec=$1 program=$2
output=$(mktemp)
trap 'rm -f "$output"' EXIT
complain() { echo "FAILED: $1"; cat "$output"; exit 1; }

# start <how> [ranks]: two ranks, or so many; the exit status is `status` once they have ended.
start() {
  : > "$output"  # at once: the process in the background does it when it gets round to it
  timeout -s KILL 90 "$mpiexec" -n "${2:-2}" "$program" "$1" >> "$output" 2>&1 & job=$!
}
finish() { wait $job; status=$?; }
all_have_begun() { (($(grep -c '^rank . is process' "$output") == 2)); }
# A process that has ended may stay until its parent has heard of it.
is_alive() { kill -0 "$1" 2> /dev/null && ! grep -q '^State:.*Z' "/proc/$1/status" 2> /dev/null; }
no_rank_is_left() {
  local process
  for process in $(awk '/is process/ { print $5 }' "$output"); do
    for ((k = 0; k < 50; ++k)); do is_alive "$process" || continue 2; sleep 0.1; done
    return 1
  done
}

for who in ended own; do
  start $who
  finish
  ((status == 0)) || complain "a rank that ends is no failure of the program: status $status"
  grep -qx 'rank 0: kt::all_reduce: rank 1 has ended its program; rank 0 of 2 waits for it' "$output" ||
    complain "the other rank does not say that rank 1 has ended"
done

start failed
finish
((status == 0)) || complain "a rank that fails in its last call ends: status $status"
grep -qx 'rank 1: x is not negative' "$output" &&
  grep -q 'rank 1: kt::all_reduce: rank 0 has ended its program' "$output" || complain "rank 1 does not hear that rank 0 has ended"

start both 3
finish
((status == 0)) || complain "one rank fails, one ends: status $status"
grep -qx 'rank 2: kt::all_reduce: rank 1 has ended its program; rank 2 of 3 waits for it' "$output" ||
  complain "a rank that has failed hides one that has ended"

start late
finish
((status != 137)) || complain "a rank that comes too late hangs"
grep -qx 'rank 1: kt::all_reduce: rank 1 of 2 has come too late: others have waited for it, and given up' "$output" ||
  complain "a rank is not told that it comes too late"

start stuck
finish
((status != 0 && status != 137)) || complain "a rank that does not come ends the program with an error: status $status"
grep -qx 'rank 0: kt::all_reduce: rank 0 has waited for 2000 ms; rank 1 of 2 did not come' "$output" ||
  complain "the other rank does not name the one that does not come"
no_rank_is_left || complain "the rank that is stuck is still there"

start killed
for ((k = 0; k < 600; ++k)); do all_have_begun && break; sleep 0.1; done
all_have_begun || complain "the ranks have not begun"
sleep 0.2
begin=$SECONDS
kill -KILL "$(awk '/^rank 1 is process/ { print $5 }' "$output")"
finish
((status != 0 && SECONDS - begin < 15)) || complain "status $status, $((SECONDS - begin)) seconds after a rank was killed"
no_rank_is_left || complain "a rank is left of those whose neighbour was killed"
