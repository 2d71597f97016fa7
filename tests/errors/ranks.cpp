// More than 8 dimensions behind more calls than last/ranks.cpp has.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// expect: kt::variable: a tensor has 0 to 8 dimensions
// errors: at most 1
auto f = kt::function([](kt::variable<double, 8> x) {
  return sum(kt::vmap([](kt::variable<double, 7> a) { return kt::stack(a, a); })(x));
});
