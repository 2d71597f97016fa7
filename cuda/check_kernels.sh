#!/usr/bin/env bash
# check_kernels.sh <ptxas report> <PTX>: fails when a kernel keeps values in memory that belong in registers, or stores nothing: of
# a call that only the host has, nvcc makes a kernel that does nothing, without a word.
set -euo pipefail
[[ -f $1 && -f $2 ]] || { echo "$1: not built"; exit 1; }
if grep 'bytes spill' "$1" | grep -vq ' 0 bytes spill stores, 0 bytes spill loads'; then
  grep -B 1 '[1-9][0-9]* bytes spill' "$1" | c++filt
  exit 1
fi
awk '
  /\.entry/ { name = $0; sub(/.*\.entry /, "", name); sub(/\(.*/, "", name); stores = 0 }
  /(st|atom|red)\.(relaxed\.|gpu\.)*global/ { stores = 1 }
  /[ \t]st\.(v[24]\.)?[bfus](8|16|32|64)[ \t]/ { stores = 1 }  # to what may be shared memory
  /^}/ && name { ++kernels; if (!stores) { print "stores nothing: " name; bad = 1 } name = "" }
  END { print kernels + 0 " kernels, no spills, each stores something"; exit bad || !kernels }' "$2" | c++filt
