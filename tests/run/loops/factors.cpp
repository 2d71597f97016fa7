// Matrices that are the same in every step are factorized before the loop.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/suite.hpp"

#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

/// How many nodes of an op stand in a graph, and in the bodies that it owns.
std::pair<int, int> count(kt::graph const& g, std::string_view op) {
  std::pair<int, int> found{};
  for (int id = 0; id < g.size(); ++id) found.first += g[id].op->name == op ? 1 : 0;
  for (int k = 0; k < g.bodies().size(); ++k)
    for (int id = 0; id < g.bodies()[k]->size(); ++id) found.second += (*g.bodies()[k])[id].op->name == op ? 1 : 0;
  return found;
}

/// Implicit steps: h is the solution of A h = the last h + tanh(x h).
constexpr auto implicit = [](kt::dmatrix A, kt::dmatrix X, kt::dvector h) {
  return scan([=](auto x, auto h) { return solve(A, h + tanh(x * h)); }, kt::sequences(X), kt::outputs_info(h));
};

}  // namespace

TEST_CASE("scan_factor_once: a system with the same matrix in every step", "[loops][passes]") {
  kt::graph const g = kt::optimize(kt::graph_of(implicit).get(), kt::stage::specialize);
  CHECK(count(g, "lu") == std::pair(1, 0));
  CHECK(count(g, "solve_by_factors") == std::pair(0, 1));
  CHECK(count(g, "solve") == std::pair(0, 0));
  matrix const A{{1.5, 0.1}, {0.2, 1.7}}, X{{1, 2}, {-1, 0.5}, {0.1, 0.2}};
  vector const h{0.3, 0.4};
  auto const with = kt::function(implicit)(A, X, h);
  auto const without = kt::function(implicit, suite::mode.excluding<"N13">())(A, X, h);
  CHECK(xt::allclose(with, without, 1e-13, 1e-14));
  CHECK(xt::allclose(with, kt::function(implicit, kt::mode::interpret)(A, X, h), 1e-13, 1e-14));
  // One step by hand: the inverse of a 2 x 2 matrix.
  double const a = 1.5, b = 0.1, c = 0.2, d = 1.7, det = a * d - b * c;
  double const r = 0.3 + std::tanh(1 * 0.3), s = 0.4 + std::tanh(2 * 0.4);
  CHECK(with(0, 0) == Approx((d * r - b * s) / det).epsilon(1e-14));
  CHECK(with(0, 1) == Approx((a * s - c * r) / det).epsilon(1e-14));
}

TEST_CASE("scan_factor_once: no steps and a singular matrix", "[loops][passes]") {
  auto const f = kt::function(implicit);
  matrix const singular{{1, 2}, {2, 4}};
  CHECK(f(singular, matrix(xt::zeros<double>({0, 2})), vector{1, 2}).shape(0) == 0);
  CHECK_THROWS_AS(f(singular, matrix{{1, 2}}, vector{1, 2}), kt::linalg_error);
}

TEST_CASE("scan_factor_once: gradients", "[loops][passes]") {
  constexpr auto f = [](kt::dmatrix A, kt::dmatrix X, kt::dvector h) { return grad(sum(implicit(A, X, h)), A); };
  kt::graph const g = kt::optimize(kt::graph_of(f).get(), kt::stage::specialize);
  // The transpose is solved by the same factors.
  CHECK(count(g, "lu") == std::pair(1, 0));
  matrix const A{{1.5, 0.1}, {0.2, 1.7}}, X{{1, 2}, {-1, 0.5}, {0.1, 0.2}};
  vector const h{0.3, 0.4};
  auto const without = kt::function(f, suite::mode.excluding<"N13">())(A, X, h);
  CHECK(xt::allclose(kt::function(f)(A, X, h), without, 1e-12, 1e-13));
}
