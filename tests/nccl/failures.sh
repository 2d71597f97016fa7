#!/usr/bin/env bash
# failures.sh <mpiexec> <program>: what becomes of two ranks when a call of NCCL fails on one of them, or on both.
set -uo pipefail
mpiexec=$1 program=$2
output=$(mktemp)
trap 'rm -f "$output"' EXIT
complain() { echo "FAILED: $1"; cat "$output"; exit 1; }

# fails <call> <rank, or all> <what both ranks say of both calls> <what the rank says last>
# Once suffices for a rank that had its result before the other one failed. One that hears of a failure before its own call
# says what it heard, and has nothing to abort.
fails() {
  timeout -s KILL 60 "$mpiexec" -n 2 "$program" "$1" "$2" > "$output" 2>&1
  (($? != 137)) || complain "$1 on $2: a rank hangs"
  local rank times
  for rank in 0 1; do
    times=$(grep -cxF -e "rank $rank: ${3//RANK/0}" -e "rank $rank: ${3//RANK/1}" "$output")
    if [[ $2 == "$rank" || $2 == all || $1 == ncclAllReduce ]]; then
      ((times == 2)) || complain "$1 on $2: rank $rank does not say twice: $3"
      grep -qxF "rank $rank: $4" "$output" ||
        { [[ $2 != "$rank" ]] && grep -qxF "rank $rank: 0 aborted, not updated" "$output"; } ||
        complain "$1 on $2: rank $rank does not say last: $4"
    else
      ((times >= 1)) || complain "$1 on $2: rank $rank does not say: $3"
    fi
  done
}

ended="1 aborted, not updated"
fails ncclAllReduce 1 "kt::all_reduce: ncclAllReduce on rank 1 of 2: unhandled cuda error" "$ended"
fails ncclAllReduce 0 "kt::all_reduce: ncclAllReduce on rank 0 of 2: unhandled cuda error" "$ended"
fails async 1 "kt::all_reduce: ncclAllReduce on rank 1 of 2: remote process exited or there was a network error" "$ended"
fails cudaStreamQuery 1 "kt::all_reduce: ncclAllReduce on rank 1 of 2: cudaStreamQuery: an illegal memory access was encountered" "$ended"
fails silence 1 "kt::all_reduce: ncclAllReduce on rank 1 of 2: has not ended after 2000 ms" "$ended"
fails ncclCommInitRankConfig all "kt::all_reduce: ncclCommInitRankConfig on rank RANK of 2: invalid usage (each rank needs a device of its own: cudaSetDevice)" "0 aborted, not updated"

# Nothing has begun yet: the next call succeeds.
timeout -s KILL 60 "$mpiexec" -n 2 "$program" ncclGetUniqueId 0 > "$output" 2>&1
status=$?
((status == 0)) || complain "without a number the program ends by $status"
for rank in 0 1; do
  grep -qxF "rank $rank: kt::all_reduce: ncclGetUniqueId on rank 0 of 2: unhandled system error" "$output" &&
    grep -qxF "rank $rank: no error" "$output" || complain "without a number"
done
