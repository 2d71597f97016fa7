// Sums over steps that become products: of what a step converts.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <cmath>

namespace kt = kroton;

TEST_CASE("gradients of loops over integers by what they multiply") {
  auto const f = kt::function(
      [](kt::variable<std::uint16_t, 2> rows, kt::dmatrix w) {
        auto each = kt::scan([=](auto row) { return tanh(dot(row, w)); }, kt::sequences(rows),
                             kt::outputs_info(kt::none));
        return grad(sum(each), w);
      },
      kt::mode::interpret);
  xt::xtensor<std::uint16_t, 2> const rows{{1, 2}, {3, 0}};
  xt::xtensor<double, 2> const w{{0.25}, {-0.5}};
  auto const g = f(rows, w);
  auto const slope = [](double x) { return 1 - std::tanh(x) * std::tanh(x); };
  CHECK(g(0, 0) == Approx(slope(-0.75) + 3 * slope(0.75)));
  CHECK(g(1, 0) == Approx(2 * slope(-0.75)));
}
