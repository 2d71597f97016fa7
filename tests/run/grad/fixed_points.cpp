// Fixed points and minima inside of an expression: values and derivatives by what they depend on.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <cmath>

#include "run/gradients.hpp"

using namespace gradients;

namespace {

// A layer of infinite depth.
constexpr auto layer = [](kt::dmatrix w, kt::dvector b) {
  return kt::fixed_point([&](auto x) { return tanh(dot(w, x) + b); }, zeros_like(b));
};
constexpr auto ridge = [](kt::dmatrix x, kt::dvector y, kt::dscalar penalty) {
  return kt::minimizer([&](auto w) { return sum(sqr(dot(x, w) - y)) + penalty * sum(sqr(w)); },
                       zeros<double>(x.shape(1)));
};

}  // namespace

TEST_CASE("a layer of infinite depth: gradients and second derivatives against differences") {
  auto const f = kt::function([](kt::dmatrix w, kt::dvector b) {
    auto const x = layer(w, b);
    auto const cost = sum(x * x * x);
    auto const [gw, gb] = grad(cost, w, b);
    return std::tuple(x, cost, gw, gb, jacobian(gb, b), rop(cost, b, ones_like(b)));
  });
  xt::xtensor<double, 2> const w{{0.4, -0.5}, {0.6, 0.3}};
  vec<double> const b{0.3, -0.8};
  auto const [x, cost, gw, gb, h, along] = f(w, b);
  double const step = 1e-4;
  for (I i = 0; i < 2; ++i) {
    CHECK(x(i) == Approx(std::tanh(w(i, 0) * x(0) + w(i, 1) * x(1) + b(i))).epsilon(1e-11));
    for (I k = 0; k < 2; ++k) {
      auto up = w, down = w;
      up(i, k) += step;
      down(i, k) -= step;
      CHECK(gw(i, k) == Approx((std::get<1>(f(up, b)) - std::get<1>(f(down, b))) / (2 * step)).epsilon(1e-6));
    }
    auto up = b, down = b;
    up(i) += step;
    down(i) -= step;
    auto const right = f(w, up), left = f(w, down);
    CHECK(gb(i) == Approx((std::get<1>(right) - std::get<1>(left)) / (2 * step)).epsilon(1e-6));
    for (I k = 0; k < 2; ++k)
      CHECK(h(k, i) == Approx((std::get<3>(right)(k) - std::get<3>(left)(k)) / (2 * step)).epsilon(1e-6));
  }
  CHECK(along == Approx(gb(0) + gb(1)).epsilon(1e-11));
}

TEST_CASE("implicit steps of a differential equation, in a loop, in float, and what diverges") {
  // y' = -rate y^2: y(t) = 1 / (1 + rate t), by implicit steps of first order.
  auto const f = kt::function([](kt::fscalar rate) {
    auto const y = kt::foldl(
        [&](auto y) { return kt::fixed_point([&](auto next) { return y - 0.25f * rate * next * next; }, y); },
        kt::outputs_info(ones_like(rate)), kt::n_steps(4));
    return std::tuple(y, grad(y, rate), kt::fixed_point([](auto x) { return 2 * x + 1; }, rate));
  });
  auto const [y, g, diverged] = f(0.8f);
  double exact = 1, by_rate = 0;
  for (int k = 0; k < 4; ++k) {
    double const next = (std::sqrt(1 + 0.8 * exact) - 1) / 0.4;
    by_rate = (by_rate - 0.25 * next * next) / (1 + 0.4 * next);
    exact = next;
  }
  CHECK(y == Approx(exact).epsilon(3e-6));
  CHECK(g == Approx(by_rate).epsilon(3e-6));
  CHECK(std::isnan(diverged));
}

TEST_CASE("ridge regression by the penalty, as in closed form") {
  auto const f = kt::function([](kt::dmatrix x, kt::dvector y, kt::dscalar penalty) {
    auto const w = ridge(x, y, penalty);
    auto const closed = solve(dot(x.T(), x) + penalty * kt::eye<double>(x.shape(1)), dot(x.T(), y));
    auto const by_penalty = jacobian(w, penalty), closed_by = jacobian(closed, penalty);
    return std::tuple(w, closed, by_penalty, closed_by, jacobian(by_penalty, penalty),
                      jacobian(closed_by, penalty), grad(sum(sqr(w)), x), grad(sum(sqr(closed)), x));
  });
  xt::xtensor<double, 2> const x{{1, 2}, {3, 4}, {5, 7}};
  auto const [w, closed, by, closed_by, second, closed_second, gx, closed_gx] = f(x, vec<double>{1, 0, 2}, 0.5);
  for (I i = 0; i < 2; ++i) {
    CHECK(w(i) == Approx(closed(i)).epsilon(1e-11));
    CHECK(by(i) == Approx(closed_by(i)).epsilon(1e-11));
    CHECK(second(i) == Approx(closed_second(i)).epsilon(1e-10));
    for (I k = 0; k < 3; ++k) CHECK(gx(k, i) == Approx(closed_gx(k, i)).epsilon(1e-10));
  }
}

TEST_CASE("minima of Rosenbrock's function, from saddle points, and costs without any") {
  auto const f = kt::function([](kt::dvector start, kt::dscalar a) {
    auto const x =
        kt::minimizer([&](auto x) { return 100 * sqr(x(1) - sqr(x(0))) + sqr(a - x(0)); }, start);
    return std::tuple(x, jacobian(x, a));
  });
  auto const [x, by_a] = f(vec<double>{-1.2, 1}, 1.5);
  CHECK((x(0) == Approx(1.5).epsilon(1e-10) && x(1) == Approx(2.25).epsilon(1e-10)));
  CHECK((by_a(0) == Approx(1).epsilon(1e-9) && by_a(1) == Approx(3).epsilon(1e-9)));
  auto const number = kt::function([](kt::dscalar start, kt::dscalar a) {
    auto const x = kt::minimizer([&](auto x) { return pow(x, 4) - a * x * x; }, start);
    return std::tuple(x, grad(x, a), kt::minimizer([](auto x) { return -x * x; }, start));
  });
  auto const [y, gy, none] = number(0., 2.);
  CHECK(std::fabs(y) == Approx(1).epsilon(1e-12));
  CHECK(gy == Approx(0.25 * y).epsilon(1e-11));
  CHECK(std::isnan(none));
}
