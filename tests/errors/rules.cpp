// Rules for which there is no room.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// Twenty sines in each other are twenty ops and a variable, in both spellings.
// expect: kt::rule: the rules of a book have more than 40 ops, variables and numbers each
constexpr auto sines = [](auto x) {
  for (int k = 0; k < 20; ++k) x = sin(x);
  return x;
};
constexpr auto book = kt::rules(kt::rule<"sines">([](auto x) { return sines(x) >> x; }));
