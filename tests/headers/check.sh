#!/usr/bin/env bash
# Each header compiles on its own: check.sh <compiler> <flags file>, from the project's root.
set -euo pipefail
find include/kroton -name '*.hpp' | sort |
  xargs -P 2 -I HEADER "$1" "@$2" -fsyntax-only -Wall -Wextra -Werror -include HEADER -x c++ /dev/null
