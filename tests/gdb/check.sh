#!/usr/bin/env bash
# Compares what gdb shows of the variables of a program with the comments of its source.
#   check.sh PROGRAM SOURCE PRINTERS
# The exit code is 77 where there is no gdb with Python, or where it may not run programs.
# SPDX-License-Identifier: BSD-3-Clause
set -euo pipefail
program=$1 source=$2 printers=$3
export DEBUGINFOD_URLS= PYTHONDONTWRITEBYTECODE=1

shown() { gdb -q -nx -batch -iex "set auto-load off" "$@" 2> /dev/null; }
[[ $(shown -ex "python print(6 * 7)") == 42 ]] || { echo "no gdb with Python here"; exit 77; }
shown -ex "break stop" -ex run "$program" | grep -q "stop ()" || { echo "gdb cannot run a program here"; exit 77; }

mapfile -t names < <(sed -n 's|^ *// \([a-z]*\) shows .*|\1|p' "$source")
mapfile -t expected < <(sed -n 's|^ *// [a-z]* shows ||p' "$source")
prints=()
for name in "${names[@]}"; do prints+=(-ex "print $name"); done
mapfile -t got < <(shown -ex "set width 0" -ex "source $printers" -ex "break stop" -ex run -ex up "${prints[@]}" "$program" |
  sed -n 's/^\$[0-9]* = //p')

failed=0
for k in "${!names[@]}"; do
  [[ ${got[k]-nothing} == "${expected[k]}" ]] && continue
  printf '%s\n  shows    %s\n  expected %s\n' "${names[k]}" "${got[k]-nothing}" "${expected[k]}"
  failed=1
done
exit $failed
