// A hundred layers in one compiled function, with gradients.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <catch2/catch.hpp>

#include "run/deep.hpp"

namespace kt = kroton;

namespace {

constexpr int layers = 100;

/// Compares a function of x, w and b, which gives the cost and its gradients, with loops over numbers.
template <class F>
void check(F& f, deep::unit u, bool has_bias, bool is_shared) {
  xt::xtensor<double, 3> w = xt::zeros<double>({is_shared ? 1 : layers, 2, 2});
  xt::xtensor<double, 2> b = xt::zeros<double>({is_shared ? 1 : layers, 2});
  // Near turns, so that nothing vanishes on the way.
  for (std::size_t i = 0; i < w.shape(0); ++i) {
    double const t = 0.3 + 0.01 * static_cast<double>(i);
    w(i, 0, 0) = w(i, 1, 1) = 1.05 * std::cos(t);
    w(i, 0, 1) = u == deep::unit::relu ? 0.2 : -1.05 * std::sin(t);
    w(i, 1, 0) = 1.05 * std::sin(t);
    if (u == deep::unit::relu) w(i, 0, 0) = w(i, 1, 1) = 0.8;
    b(i, 0) = 0.02;
    b(i, 1) = -0.01;
  }
  xt::xtensor<double, 2> const x{{0.4, 0.3}};
  auto const [cost, dw, db] = f(x, w, b);
  deep::by_hand const expected(u, has_bias, is_shared, layers, {0.4, 0.3}, w, b);
  CHECK(cost == Approx(expected.cost).epsilon(1e-9));
  CHECK(expected.cost > 1e-6);
  for (std::size_t i = 0; i < w.shape(0); ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t j = 0; j < 2; ++j) CHECK(dw(i, j, k) == Approx(expected.dw[i][j][k]).epsilon(1e-7).margin(1e-12));
      if (has_bias) CHECK(db(i, k) == Approx(expected.db[i][k]).epsilon(1e-7).margin(1e-12));
    }
}

}  // namespace

TEST_CASE("a hundred layers of tanh, with one matrix and one bias", "[depth]") {
  auto f = kt::function([](kt::dmatrix x, kt::dtensor3 w, kt::dmatrix b) {
    auto const cost = deep::cost(deep::unit::tanh, true, true, layers, x, w, b);
    auto const [dw, db] = grad(cost, w, b);
    return std::tuple(cost, dw, db);
  });
  check(f, deep::unit::tanh, true, true);
}
TEST_CASE("a hundred layers of relu, each with a matrix of its own", "[depth]") {
  auto f = kt::function([](kt::dmatrix x, kt::dtensor3 w, kt::dmatrix b) {
    auto const cost = deep::cost(deep::unit::relu, false, false, layers, x, w, b);
    return std::tuple(cost, grad(cost, w), zeros_like(b));
  });
  check(f, deep::unit::relu, false, false);
}
