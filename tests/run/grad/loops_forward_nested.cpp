// Forward mode through several loops, and through choices.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

matrix const X{{0.1, 0.2}, {0.3, 0.4}, {-0.5, 0.05}, {0.7, -0.6}};

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < 1e-12;
}

/// <u, rop(y, x, v)> - <lop(y, x, u), v>, with a fixed u.
constexpr auto difference = [](auto y, auto x, auto v) {
  auto u = sin(y + 0.5);
  auto fixed = kt::stop_gradient(u);
  return sum(fixed * rop(y, x, v)) - sum(lop(y, x, fixed) * v);
};

}  // namespace

TEST_CASE("pushforwards through loops in loops, loops without states, loops behind loops") {
  auto const f = kt::function([](kt::dmatrix x, kt::dscalar a, kt::dmatrix dx, kt::dscalar da) {
    auto y = scan([&](auto row, auto before) {
      return scan([&](auto e, auto s) { return tanh(s + a * e); }, kt::sequences(row), kt::outputs_info(before))(-1);
    }, kt::sequences(x), kt::outputs_info(a));
    auto squares = kt::map([&](auto e) { return e * e * a; }, kt::sequences(exp(y)));
    auto sums = scan([](auto e, auto s) { return s + e; }, kt::sequences(squares), kt::outputs_info(0.0), kt::go_backwards);
    return std::tuple(difference(sums, x, dx), difference(sums, a, da));
  });
  auto const [by_x, by_a] = f(X, 0.3, X * X, 2.);
  CHECK(std::abs(by_x) < 1e-12);
  CHECK(std::abs(by_a) < 1e-12);
}

TEST_CASE("what a pushforward does not reach is 0, and choices stay choices") {
  auto const f = kt::function([](kt::dvector x, kt::dscalar a) {
    auto [s, t] = scan([&](auto e, auto s, auto t) { return std::tuple(s * e, t + where(gt(e, 0), log(e) * a, a)); }, kt::sequences(x),
                       kt::outputs_info(1.0, a));
    // The state has a tangent in the first step alone.
    auto [now, before] = scan([](auto e, auto last) { return std::tuple(e, last); }, kt::sequences(x), kt::outputs_info(a, kt::none));
    return std::tuple(rop(s + t, a, ones_like(a)), rop(s + floor(t), x, x), rop(before, a, ones_like(a)));
  });
  auto const [by_a, by_x, first] = f(vector{2, -3}, 0.5);
  CHECK(same(by_a, vector{1 + std::log(2), 2 + std::log(2)}));
  CHECK(same(by_x, vector{2, -12}));
  CHECK(same(first, vector{1, 0}));
}
