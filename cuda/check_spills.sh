#!/usr/bin/env bash
# check_spills.sh <ptxas report>: fails when a kernel keeps values in memory that belong in registers.
set -euo pipefail
[[ -f $1 ]] || { echo "$1: not built"; exit 1; }
if grep 'bytes spill' "$1" | grep -vq ' 0 bytes spill stores, 0 bytes spill loads'; then
  grep -B 1 '[1-9][0-9]* bytes spill' "$1" | c++filt
  exit 1
fi
grep -c 'bytes spill' "$1" | sed 's/$/ kernels, no spills/'
