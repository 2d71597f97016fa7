#!/usr/bin/env bash
# What every header keeps to; from the project's root.
set -euo pipefail
shopt -s globstar nullglob
bad=0
complain() { echo "$1"; bad=1; }

for header in {include/kroton,cuda/include}/**/*.{h,hpp,cuh}; do
  [[ $(head -n 1 "$header") == "// "* ]] || complain "$header: the first line is not a comment that says what it is"
  grep -q '^#pragma once$' "$header" || complain "$header: no #pragma once"
  lines=$(wc -l < "$header")
  ((lines <= 500)) || complain "$header: $lines lines, more than 500"
  while IFS=: read -r line _; do
    complain "$header:$line: an unfinished thought"
  done < <(grep -nwE 'TODO|FIXME' "$header")
done

# The lists of built-in ops are complete: the run-time library has the kernels of what they name.
listed=$(grep -ohE '\w+' include/kroton/ops/{list,table}.hpp | sort -u)
while read -r op; do
  grep -qx "$op" <<< "$listed" || complain "op::$op is in no list of ops/list.hpp and ops/table.hpp"
done < <(grep -rhoE '^struct (\w+) : [a-z_:]+<"\1"' include/kroton | awk '{print $2}' | grep -vx opaque | sort -u)
exit $bad
