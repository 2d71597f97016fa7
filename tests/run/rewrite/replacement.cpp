// Values computed once more, of other operands.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <cmath>

namespace kt = kroton;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

TEST_CASE("parameters and computed values are replaced", "[replace]") {
  auto f = kt::function([](kt::dmatrix a, kt::dvector x, kt::dvector z) {
    auto const h = tanh(dot(a, x));
    auto const y = sum(h * h) + sum(x);
    return std::tuple(clone_replace(y, x, z), clone_replace(y, h, z),
                      clone_replace(y, x, 2 * x, h, z), grad(clone_replace(y, x, z), z), y);
  });
  auto direct = kt::function([](kt::dmatrix a, kt::dvector x, kt::dvector z) {
    auto const of = [&](auto v, auto h) { return sum(h * h) + sum(v); };
    auto const hidden = [&](auto v) { return tanh(dot(a, v)); };
    return std::tuple(of(z, hidden(z)), of(x, z), of(2 * x, z), grad(of(z, hidden(z)), z),
                      of(x, hidden(x)));
  });
  matrix const a{{0.5, -1}, {0.25, 2}};
  vector const x{1, 2}, z{-0.5, 0.75};
  auto const [by_x, by_h, both, slope, y] = f(a, x, z);
  auto const [x_expected, h_expected, both_expected, slope_expected, expected] = direct(a, x, z);
  CHECK(by_x == Approx(x_expected));
  CHECK(by_h == Approx(h_expected));
  CHECK(both == Approx(both_expected));
  CHECK(xt::allclose(slope, slope_expected));
  CHECK(y == Approx(expected));
}

TEST_CASE("what takes a place may have other extents, which have to fit", "[replace]") {
  kt::runtime::graph g;
  auto const x = g.input<double, 1>("x"), w = g.input<double, 1>("w"), z = g.input<double, 1>("z");
  auto const y = sum(x * w);
  auto const f = g.function({z}, clone_replace(y, x, z, w, exp(z)));
  CHECK(f(vector{0, 1, 2}) == Approx(std::exp(1) + 2 * std::exp(2)));
  auto const half = g.function({z, w}, clone_replace(y, x, z));
  CHECK(half(vector{1, 2, 3}, vector{1, 1, 1}) == 6);
  CHECK_THROWS_AS(half(vector{1, 2, 3}, vector{1, 1}), kt::shape_error);
}
