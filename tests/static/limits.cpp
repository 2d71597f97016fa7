// The CMake target raises the compilers' limits on constant evaluation: by default g++ stops after
// 262,144 rounds of a loop, clang after 1,048,576 steps.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/core/config.hpp>

constexpr long rounds(long n) {
  long count = 0;
  for (long i = 0; i < n; ++i) ++count;
  return count;
}
static_assert(rounds(1'500'000) == 1'500'000);
