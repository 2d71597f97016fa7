#!/usr/bin/env bash
# Builds and runs examples/tutorial.cpp, whose every program checks itself, with the standard, the standard library and the word
# size that `./dev test` does not use. From anywhere: tests/platforms.sh c++23 | libc++ | 32-bit; flags for the compiler may follow.
#   c++23    g++ (or $CXX), -std=c++23
#   libc++   clang++-19 with its standard library, as C++20 and as C++23: packages clang-19 libc++-19-dev libc++abi-19-dev
#   32-bit   g++ -m32 with SSE2 for numbers: packages g++-multilib and libopenblas-dev:i386, or a 32-bit system
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
name=${1:?c++23, libc++ or 32-bit}
shift
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT

build_and_run() {
  echo "$*"
  "$@" -O1 -Wall -Wextra -Werror -Iinclude -isystem /usr/include/openblas examples/tutorial.cpp -lopenblas -o "$out/tutorial"
  "$out/tutorial"
}
gnu=(-fconstexpr-ops-limit=1000000000 -fconstexpr-loop-limit=10000000)
case $name in
  c++23) build_and_run "${CXX:-g++}" -std=c++23 "${gnu[@]}" "$@" ;;
  libc++)
    for standard in c++20 c++23; do
      build_and_run clang++-19 -stdlib=libc++ -std=$standard -fconstexpr-steps=1000000000 "$@"
    done ;;
  32-bit)
    [[ $(getconf LONG_BIT) == 32 ]] || gnu+=(-m32)
    build_and_run "${CXX:-g++}" -std=c++20 -msse2 -mfpmath=sse "${gnu[@]}" "$@" ;;
  *) echo "$name: not c++23, libc++ or 32-bit"; exit 1 ;;
esac
