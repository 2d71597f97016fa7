// Roots inside of an expression: values and derivatives by what the equations depend on, in loops, in batches and without convergence.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <boost/hana/define_struct.hpp>
#include <cmath>

#include "run/gradients.hpp"

using namespace gradients;

namespace {

struct balance : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(balance, (kt::dmatrix, flows), (kt::dscalar, scale), (kt::dvector, stocks));
};

constexpr auto kepler = [](kt::dscalar mean, kt::dscalar eccentricity) {
  return kt::root([&](auto e) { return e - eccentricity * sin(e) - mean; }, mean);
};
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

TEST_CASE("Kepler's equation, alone, in batches of several axes and in loops") {
  auto const f = kt::function([](kt::dmatrix m, kt::dvector e) {
    auto const rows = kt::vmap<0>([](kt::dvector m, kt::dvector e) { return kt::vmap<0, 1>(kepler)(m, e); })(m, e);
    auto const looped = kt::map(
        [&](kt::dvector m) { return kt::map([](kt::dscalar m, kt::dscalar e) { return kepler(m, e); }, kt::sequences(m, e)); },
        kt::sequences(m));
    auto const [gm, ge] = grad(sum(rows), m, e);
    auto const [hm, he] = grad(sum(looped), m, e);
    return std::tuple(rows, looped, gm, ge, hm, he, grad(sum(gm), m));
  });
  xt::xtensor<double, 2> const m{{0.05, 1, 3}, {-2, 0.3, 5}};
  vec<double> const e{0.99, 0.5, 0.1};
  auto const [x, looped, gm, ge, hm, he, second] = f(m, e);
  vec<double> by_e{0, 0, 0};
  for (I i = 0; i < 2; ++i)
    for (I k = 0; k < 3; ++k) {
      double const at = x(i, k), slope = 1 - e(k) * std::cos(at);
      CHECK(at - e(k) * std::sin(at) == Approx(m(i, k)).epsilon(1e-14));
      CHECK(looped(i, k) == at);
      CHECK(gm(i, k) == Approx(1 / slope).epsilon(1e-12));
      CHECK(hm(i, k) == Approx(1 / slope).epsilon(1e-12));
      CHECK(second(i, k) == Approx(-e(k) * std::sin(at) / (slope * slope * slope)).epsilon(1e-11));
      by_e(k) += std::sin(at) / slope;
    }
  for (I k = 0; k < 3; ++k) {
    CHECK(ge(k) == Approx(by_e(k)).epsilon(1e-12));
    CHECK(he(k) == Approx(by_e(k)).epsilon(1e-12));
  }
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

TEST_CASE("unknowns that are a struct of arrays") {
  auto const f = kt::function([](balance start, kt::dmatrix a) {
    auto const x = kt::root(
        [&](balance const& u) {
          return balance{{}, u.flows + 0.1 * sin(u.flows) - a * u.scale,
                         sqr(u.scale) - 2 - 0.1 * sum(u.stocks), u.stocks * u.scale - 1.};
        },
        start);
    return std::tuple(x, grad(sum(x.flows), a), grad(sum(x.stocks), a, kt::disconnected::zero));
  });
  xt::xtensor<double, 2> const a{{1, 2, 0.5}, {3, 4, -1}};
  auto const [x, by_a, none] = f(kt::values<balance>(a, 1., vec<double>{1, 1}), a);
  auto const [flows, scale, stocks] = x;
  CHECK(scale * scale == Approx(2 + 0.2 / scale).epsilon(1e-13));
  CHECK((stocks(0) == Approx(1 / scale) && stocks(1) == stocks(0)));
  for (I i = 0; i < 2; ++i)
    for (I k = 0; k < 3; ++k) {
      CHECK(flows(i, k) + 0.1 * std::sin(flows(i, k)) == Approx(a(i, k) * scale).epsilon(1e-13));
      CHECK(by_a(i, k) == Approx(scale / (1 + 0.1 * std::cos(flows(i, k)))).epsilon(1e-12));
      CHECK(none(i, k) == Approx(0).margin(1e-14));
    }
}
