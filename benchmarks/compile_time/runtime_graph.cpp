// A run-time graph and one function of it.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

namespace kt = kroton;

double call(xt::xtensor<double, 2> const& a) {
  kt::runtime::graph g;
  auto x = g.input<double, 2>("x");
  return g.function({x}, sum(tanh(dot(x, x.T()))))(a);
}
