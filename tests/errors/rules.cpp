// Rules for which there is no room.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// Many sines in each other are as many ops and a variable, in both spellings.
// expect: kt::rule: a book of n rules holds at most 200 + 40 n ops, variables and numbers
constexpr auto sines = [](auto x) {
  for (int k = 0; k < 120; ++k) x = sin(x);
  return x;
};
constexpr auto book = kt::rules(kt::rule<"sines">([](auto x) { return sines(x) >> x; }));
