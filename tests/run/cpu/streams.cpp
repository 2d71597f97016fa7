// Results are printed with the umbrella header alone, which this file includes first and by itself.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <catch2/catch.hpp>

namespace kt = kroton;

TEST_CASE("results are written to a stream") {
  auto f = kt::function([](kt::dvector x, kt::dmatrix m) { return std::tuple(2 * x, m.T(), sum(x), x > 1); });
  auto const [v, m, s, b] = f(xt::xtensor<double, 1>{1, 2}, xt::xtensor<double, 2>{{1, 2}, {3, 4}});
  std::ostringstream out;
  out << v << '\n' << m << '\n' << s << '\n' << b;
  CHECK(out.str() == "{ 2.,  4.}\n{{ 1.,  3.},\n { 2.,  4.}}\n3\n{false,  true}");
  kt::shared w(xt::xtensor<int, 1>{1, 2});
  out.str("");
  out << w.get_value();
  CHECK(out.str() == "{1, 2}");
}
