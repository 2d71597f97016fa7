// Cube roots and lengths: values, gradients, forward derivatives, broadcasting, both stages.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <cmath>

#include "run/gradients.hpp"

using namespace gradients;

TEST_CASE("cube roots and lengths") {
  auto const f = kt::function([](kt::dvector x, kt::dscalar y, kt::fvector s) {
    return std::tuple(cbrt(x), hypot(x, y), hypot(x, y, 2 * x), hypot(s, 3), cbrt(s));
  });
  vec<double> const x{-8, 0, 1e-300, 27, 1e200, 0.3, -1e-3, 3e15, 5};
  xt::xtensor<float, 1> const s{-1e30f, 0, 4, 1e-30f, 7, 8, 9, 27, 64};
  auto const [root, plane, space, single, single_root] = f(x, -6., s);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(root(i) == Approx(std::cbrt(x(i))).epsilon(1e-15).margin(0));
    CHECK(plane(i) == Approx(std::hypot(x(i), 6.)).epsilon(1e-15).margin(0));
    CHECK(space(i) == Approx(std::hypot(x(i), 6., 2 * x(i))).epsilon(1e-15).margin(0));
    CHECK(single(i) == Approx(std::hypot(s(i), 3.f)).epsilon(1e-6).margin(0));
    CHECK(single_root(i) == Approx(std::cbrt(s(i))).epsilon(1e-6).margin(0));
  }
}
TEST_CASE("cube roots and lengths broadcast, and take integers") {
  auto const f = kt::function([](kt::dvector x, kt::lvector k) {
    return std::pair(hypot(x(kt::slice(), kt::newaxis), k), cbrt(k));
  });
  xt::xtensor<std::int64_t, 1> const k{4, 12, -27};
  auto const [all, roots] = f(vec<double>{3, 5}, k);
  REQUIRE(all.shape() == std::array<std::size_t, 2>{2, 3});
  CHECK(all(0, 0) == 5);
  CHECK(all(1, 1) == 13);
  CHECK(roots(2) == Approx(-3));
}
TEST_CASE("derivatives of cube roots and lengths") {
  auto const f = kt::function([](kt::dvector x) {
    return derivatives(
        x, [](auto v) { return cbrt(v); }, [](auto v) { return hypot(v, 2); },
        [](auto v) { return hypot(1 - v, v * v); }, [](auto v) { return hypot(v, 1, sqr(v)); });
  });
  check(f, 0.5, 3);
  check(f, -3, -0.5);
}
TEST_CASE("derivatives along a direction of lengths") {
  auto const f = kt::function([](kt::dvector x, kt::dvector v) {
    return std::pair(rop(hypot(x, 3 * x), x, v), rop(cbrt(x), x, v));
  });
  auto const [length, root] = f(vec<double>{2, -8}, vec<double>{1, 0.5});
  CHECK(length(0) == Approx(std::sqrt(10.)));
  CHECK(length(1) == Approx(-0.5 * std::sqrt(10.)));
  CHECK(root(1) == Approx(0.5 / 12));
}
