#!/usr/bin/env bash
# Writes all of kroton/kroton.hpp, or of the headers named, as one file for programs of one file: Kroton's own headers only,
# each once, in the order in which they are included. Those of other libraries stay as they are included.
#   packaging/single_header.sh > kroton_single.hpp
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../include"

awk '
  function take(name,   line, file) {
    if (name in taken) return
    taken[name] = 1
    file = name
    while ((status = (getline line < file)) > 0) {
      if (line == "#pragma once" || line ~ /SPDX-License-Identifier/) continue
      if (match(line, /^#include <kroton\/[^>]*>/)) {
        take(substr(line, 11, RLENGTH - 11))
      } else {
        print line
      }
    }
    if (status < 0) { print "single_header.sh: no " file > "/dev/stderr"; failed = 1; exit 1 }
    close(file)
  }
  BEGIN {
    print "// Kroton in one header, generated from its sources: do not edit."
    print "// SPDX-License-Identifier: BSD-3-Clause"
    print "#pragma once"
    for (i = 1; i < ARGC; ++i) take(ARGV[i])
  }
' "${@:-kroton/kroton.hpp}"
