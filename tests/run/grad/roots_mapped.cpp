// Roots in batches and in loops.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <cmath>

#include "run/gradients.hpp"

using namespace gradients;

namespace {

constexpr auto kepler = [](kt::dscalar mean, kt::dscalar eccentricity) {
  return kt::root([&](auto e) { return e - eccentricity * sin(e) - mean; }, mean);
};

}  // namespace

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
