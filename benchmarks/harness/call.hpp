// Calls of functions of numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "contest.hpp"

#include <array>
#include <tuple>

namespace bench {

/// A function of numbers on numbers that the compiler does not know; all it gives is put into memory.
template <class F, std::size_t N>
void add_call(contest& c, char const* name, F f, std::array<double, N> const& in) {
  c.add(
      name,
      [f, in] {
        auto x = in;
        for (double& v : x) touch(v);
        auto const result = std::apply(f, x);
        use(result);
      },
      [f, in] { return std::apply(f, in); });
}

}  // namespace bench
