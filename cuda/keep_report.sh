#!/usr/bin/env bash
# keep_report.sh <file> <compiler command>: runs it, and keeps what ptxas says in the file.
set -euo pipefail
report=$1
shift
if "$@" > "$report" 2>&1; then
  grep -v 'ptxas info\|bytes stack frame' "$report" >&2 || true
else
  status=$?
  cat "$report" >&2
  rm -f "$report"
  exit $status
fi
