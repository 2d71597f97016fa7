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
        auto each = kt::scan([=](auto row) { return i0e(dot(row, w)); }, kt::sequences(rows),
                             kt::outputs_info(kt::none));
        return grad(sum(each), w);
      },
      kt::mode::interpret);
  auto const g = f(xt::xtensor<std::uint16_t, 2>{{1}, {2}}, xt::xtensor<double, 2>{{1}});
  auto const slope = [](double x) {
    return std::exp(-x) * (std::cyl_bessel_i(1., x) - std::cyl_bessel_i(0., x));
  };
  CHECK(g(0, 0) == Approx(slope(1) + 2 * slope(2)));
}
