// Hessians of loops: against differences of gradients, and closed forms.
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

matrix const X{{0.1, 0.2}, {0.3, 0.4}, {-0.5, 0.05}, {0.7, -0.6}}, W{{0.1, 0.2}, {-0.3, 0.4}};
vector const h0{0.5, 0.6};

template <class A, class B>
bool same(A const& a, B const& b, double most = 1e-13) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < most;
}

constexpr auto recurrent = [](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) {
  return scan([&](auto x, auto h) { return tanh(dot(w, h) + x); }, kt::sequences(x), kt::outputs_info(h0));
};
constexpr auto cost = [](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) {
  auto h = recurrent(x, h0, w);
  return sum(sqr(h)) + sum(exp(h(-1)));
};

}  // namespace

TEST_CASE("the Hessian of a recurrent network") {
  auto const f = kt::function([](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) { return hessian(cost(x, h0, w), h0, w); });
  auto const slope = kt::function([](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) { return grad(cost(x, h0, w), h0, w); });
  auto const [hh, hw, wh, ww] = f(X, h0, W);
  constexpr double step = 1e-5;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      matrix up = W, down = W;
      up(i, j) += step;
      down(i, j) -= step;
      auto const [h_up, w_up] = slope(X, h0, up);
      auto const [h_down, w_down] = slope(X, h0, down);
      CHECK(same(vector((h_up - h_down) / (2 * step)), vector(xt::view(wh, i, j)), 1e-8));
      CHECK(same(matrix((w_up - w_down) / (2 * step)), matrix(xt::view(ww, i, j)), 1e-8));
      CHECK(same(vector(xt::view(hw, xt::all(), i, j)), vector(xt::view(wh, i, j))));
    }
  for (std::size_t i = 0; i < 2; ++i) {
    vector up = h0, down = h0;
    up(i) += step;
    down(i) -= step;
    auto const [h_up, w_up] = slope(X, up, W);
    auto const [h_down, w_down] = slope(X, down, W);
    CHECK(same(vector((h_up - h_down) / (2 * step)), vector(xt::view(hh, i)), 1e-8));
  }
}

TEST_CASE("Hessians through loops in loops, and inside of a body") {
  // n times the sum of squares
  auto const nested = kt::function([](kt::dvector x) {
    auto sums = kt::map([&](auto) { return foldl([](auto e, auto s) { return s + e * e; }, kt::sequences(x), kt::outputs_info(0.0)); },
                        kt::sequences(x));
    return hessian(sum(sums), x);
  });
  CHECK(same(matrix(nested(vector{1, -2, 5})), matrix{{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}));

  auto const product = kt::function([](kt::dvector x) {
    return hessian(foldl([](auto e, auto p) { return p * e; }, kt::sequences(x), kt::outputs_info(1.0)), x);
  });
  CHECK(same(matrix(product(vector{2, 3, 5})), matrix{{0, 5, 3}, {5, 0, 2}, {3, 2, 0}}));

  // A step of Newton's method, for x^3 - e = 0 in each component.
  auto const newton = kt::function([](kt::dmatrix e, kt::dvector start) {
    return foldl([](kt::dvector e, kt::dvector x) { return x - dot(diag(1 / diag(jacobian(x * x * x - e, x))), x * x * x - e); },
                 kt::sequences(e), kt::outputs_info(start));
  });
  vector const found = newton(matrix{{8, 27}, {8, 27}, {8, 27}, {8, 27}, {8, 27}}, vector{2.2, 3.3});
  CHECK(same(found, vector{2, 3}, 1e-12));

  auto const each = kt::function(kt::vmap<0>(kt::hessian([](kt::dvector x) {
    return foldl([](auto e, auto p) { return p * e; }, kt::sequences(x), kt::outputs_info(1.0));
  })));
  auto const both = each(matrix{{2, 3}, {5, 7}});
  CHECK(same(matrix(xt::view(both, 0)), matrix{{0, 1}, {1, 0}}));
}
