// Roots inside of an expression: values, and derivatives by what the equations depend on.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <cmath>

#include "run/gradients.hpp"

using namespace gradients;

namespace {

// Three species, of which each limits the others.
constexpr auto equilibrium = [](kt::dvector k) {
  return kt::root(
      [&](auto x) {
        return stack<0>(k(0) * x(0) * x(1) - x(2), x(0) + x(2) - k(1), x(1) + 2 * x(2) - k(2));
      },
      ones_like(k));
};

}  // namespace

TEST_CASE("a square root as a root, with derivatives of any order in both modes") {
  auto const f = kt::function([](kt::dscalar a, kt::dscalar start) {
    auto const x = kt::root([&](auto x) { return x * x - a; }, start);
    auto const g = grad(x, a), h = grad(g, a);
    return std::tuple(x, g, h, grad(h, a), rop(x, a, 2.), rop(g, a, 1.), grad(x + start, start),
                      rop(x * start, start, 1.));
  });
  double const a = 2.3, r = std::sqrt(a);
  auto const [x, g, h, third, pushed, of_gradient, by_start, pushed_start] = f(a, 1.5);
  CHECK(x == Approx(r).epsilon(1e-14));
  CHECK(g == Approx(0.5 / r).epsilon(1e-13));
  CHECK(h == Approx(-0.25 / (a * r)).epsilon(1e-13));
  CHECK(third == Approx(0.375 / (a * a * r)).epsilon(1e-12));
  CHECK(pushed == Approx(1 / r).epsilon(1e-13));
  CHECK(of_gradient == Approx(h).epsilon(1e-13));
  CHECK(by_start == 1);
  CHECK(pushed_start == Approx(r).epsilon(1e-14));
}

TEST_CASE("an equilibrium of three unknowns, against differences of the whole solution") {
  auto const solve = kt::function(equilibrium);
  auto const f = kt::function([](kt::dvector k) {
    auto const x = equilibrium(k);
    auto const g = grad(sum(sqr(x)), k);
    return std::tuple(jacobian(x, k), g, jacobian(g, k), rop(g, k, ones_like(k)));
  });
  vec<double> const k{0.7, 1.5, 2.5};
  auto const [j, g, h, along] = f(k);
  double const step = 1e-4;
  for (I c = 0; c < 3; ++c) {
    vec<double> up = k, down = k;
    up(c) += step;
    down(c) -= step;
    auto const x = solve(up), y = solve(down);
    for (I i = 0; i < 3; ++i) CHECK(j(i, c) == Approx((x(i) - y(i)) / (2 * step)).epsilon(1e-6));
    auto const gx = std::get<1>(f(up)), gy = std::get<1>(f(down));
    for (I i = 0; i < 3; ++i) CHECK(h(i, c) == Approx((gx(i) - gy(i)) / (2 * step)).epsilon(1e-6));
  }
  for (I i = 0; i < 3; ++i) CHECK(along(i) == Approx(h(i, 0) + h(i, 1) + h(i, 2)).epsilon(1e-12));
}
