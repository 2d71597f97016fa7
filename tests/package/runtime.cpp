// A foreign program that records a graph while it runs.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include <cmath>
#include <cstdio>

namespace kt = kroton;

int main() {
  kt::runtime::graph g;
  auto x = g.input<double, 1>("x");
  auto f = g.function({x}, std::tuple(sum(exp(x)), grad(sum(exp(x)), x)));
  xt::xtensor<double, 1> const a{0, 1};
  auto const [y, slope] = f(a);
  auto const parsed = kt::runtime::parse("sum(exp(x))")(a).as<double, 0>();
  std::printf("%.15g %.15g %.15g\n", y, slope(1), parsed);
  double const want = 1 + std::exp(1.0);
  return std::abs(y - want) < 1e-14 && std::abs(slope(1) - std::exp(1.0)) < 1e-14 && std::abs(parsed - want) < 1e-14 ? 0 : 1;
}
