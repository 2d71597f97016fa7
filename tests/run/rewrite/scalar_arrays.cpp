// Constants, running sums and products, and Jacobians with diagonals, of small arrays as numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/rewrite/scalars.hpp"

using namespace scalar_tests;

namespace {
constexpr auto cross = [](auto a, auto b) {
  return kt::stack(a(1) * b(2) - a(2) * b(1), a(2) * b(0) - a(0) * b(2), a(0) * b(1) - a(1) * b(0));
};
}  // namespace

TEST_CASE("Jacobians of what is added are numbers") {
  constexpr auto f = [](kt::fixed<double, 6> motion, vec3 p) {
    auto r = cross(motion(kt::slice(0, 3)), p) + motion(kt::slice(3, 6)) - p;
    return std::tuple(r, jacobian(r, motion), jacobian(r, p), jacobian(exp(p) + 2 * p, p));
  };
  fixed_array<6> const motion{0.1, -0.2, 0.3, 1, 2, -1};
  check_elements(f, motion, x);
  check_of_numbers(f);
}

TEST_CASE("constants are numbers") {
  constexpr auto f = [](vec3 v) {
    auto m = kt::constant({{1.5, 0., -2.}, {0., 4., 0.25}});
    return std::tuple(dot(m, v), v * kt::constant({1, -2, 3}),
                      v * kt::constant({0.5f, 1.25f, -3.f}),
                      where(kt::constant({true, false, true}), v, 0.0));
  };
  check_elements(f, x);
  check_of_numbers(f);
}

TEST_CASE("running sums and products along each axis are numbers, their gradients too") {
  constexpr auto f = [](mat3 m, vec3 v) {
    auto all = cumsum(m, kt::axis<0>) * cumprod(m, kt::axis<1>);
    auto cost = sum(all * v) + sum(cumprod(v)) + sum(sqr(cumsum(v)));
    return std::tuple(all, cumsum(v(kt::slice(kt::none, kt::none, -1))), cost, grad(cost, v));
  };
  check_elements(f, A, x);
  check_of_numbers(f);
}
