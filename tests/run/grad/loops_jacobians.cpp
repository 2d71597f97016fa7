// Jacobians of loops: against products of the Jacobians of their steps, and closed forms.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using tensor = xt::xtensor<double, 4>;

matrix const X{{0.1, 0.2}, {0.3, 0.4}, {-0.5, 0.05}, {0.7, -0.6}}, W{{0.1, 0.2}, {-0.3, 0.4}};
vector const h0{0.5, 0.6};

template <class A, class B>
bool same(A const& a, B const& b, double most = 1e-13) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < most;
}

constexpr auto recurrent = [](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) {
  return scan([&](auto x, auto h) { return tanh(dot(w, h) + x); }, kt::sequences(x), kt::outputs_info(h0));
};
// The derivatives of all states by the start and, behind it, by each element, by the chain rule from step to step.
struct chain {
  tensor of_start{std::array<std::size_t, 4>{4, 1, 2, 2}}, of_elements = xt::zeros<double>({4, 4, 2, 2});

  chain() {
    double h[] = {h0(0), h0(1)}, made[2], by_start[2][2] = {{1, 0}, {0, 1}};
    for (std::size_t t = 0; t < 4; ++t) {
      double next[2][2]{};
      for (std::size_t i = 0; i < 2; ++i) made[i] = std::tanh(W(i, 0) * h[0] + W(i, 1) * h[1] + X(t, i));
      for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j) {
          double const slope = 1 - made[i] * made[i];
          for (std::size_t k = 0; k < 2; ++k) next[i][j] += slope * W(i, k) * by_start[k][j];
          of_start(t, 0, i, j) = next[i][j];
          for (std::size_t s = 0; s < t; ++s)
            for (std::size_t k = 0; k < 2; ++k) of_elements(t, s, i, j) += slope * W(i, k) * of_elements(t - 1, s, k, j);
          of_elements(t, t, i, j) = i == j ? slope : 0;
        }
      for (std::size_t i = 0; i < 2; ++i) {
        h[i] = made[i];
        for (std::size_t j = 0; j < 2; ++j) by_start[i][j] = next[i][j];
      }
    }
  }
};

}  // namespace

TEST_CASE("jacobians of a recurrent network") {
  auto const f = kt::function([](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) {
    auto h = recurrent(x, h0, w);
    return std::tuple(jacobian(h(-1), h0), jacobian(h, x), jacobian(h(-1), w), grad(h(-1)(0), w));
  });
  auto const [last, all, of_weights, first_row] = f(X, h0, W);
  chain const expected;
  CHECK(same(last, matrix(xt::view(expected.of_start, 3, 0))));
  CHECK(same(all, tensor(xt::transpose(expected.of_elements, {0, 2, 1, 3}))));
  CHECK(same(matrix(xt::view(of_weights, 0)), first_row));
}

TEST_CASE("jacobians of loops: several taps, a sequence twice, by a scalar, without states") {
  auto const f = kt::function([](kt::dvector start, kt::dvector x, kt::dscalar a) {
    auto y = scan([&](auto e, auto second, auto last) { return a * second + e * last; }, kt::sequences(x),
                  kt::outputs_info(kt::taps<-2, -1>(start)));
    auto squares = kt::map([&](auto e) { return a * e * e; }, kt::sequences(x));
    auto total = foldl([](auto e, auto f, auto s) { return s + e * f; }, kt::sequences(x, x * x), kt::outputs_info(a));
    return std::tuple(jacobian(y, start), jacobian(y, x), jacobian(y, a), jacobian(squares, x), jacobian(total, x), jacobian(total, a));
  });
  // y0 = a s0 + x0 s1, y1 = a s1 + x1 y0
  auto const [of_start, of_x, of_a, squares, total, total_a] = f(vector{2, 3}, vector{5, 7}, 11.0);
  CHECK(same(of_start, matrix{{11, 5}, {77, 46}}));
  CHECK(same(of_x, matrix{{3, 0}, {21, 37}}));
  CHECK(same(of_a, vector{2, 17}));
  CHECK(same(squares, matrix{{110, 0}, {0, 154}}));
  CHECK(same(total, vector{75, 147}));
  CHECK(total_a == 1);
}
