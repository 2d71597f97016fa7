// Gradients of loops that a condition stops.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() <= 1e-12;
}
template <class F, class Check, class... A>
void in_all_stages(F const& f, Check check, A const&... arguments) {
  check(kt::function(f)(arguments...));
  check(kt::function(f, kt::mode::interpret)(arguments...));
  check(kt::function(f, kt::mode::debug)(arguments...));
}

constexpr auto squares = [](auto x, auto... options) {
  return scan([](auto e) { return kt::until(e > 5, e * e); }, kt::sequences(x), options...);
};

/// h -> a h until h > 100.
constexpr auto states = [](auto h, auto a) {
  return scan([=](kt::dscalar h) { return kt::until(a * h > 100, a * h); }, kt::outputs_info(h), kt::n_steps(1000000000));
};
constexpr auto cost = [](kt::dmatrix start, kt::dmatrix W) {
  auto y = scan(
      [=](kt::dvector before, kt::dvector last) {
        auto next = tanh(dot(W, last)) + before;
        return kt::until(sum(next) > 4, next);
      },
      kt::outputs_info(kt::taps<-2, -1>(start)));
  return sum(y * y) + sum(y(-1));
};

}  // namespace

TEST_CASE("grad: elements behind the stop have the gradient 0", "[loops][gradients]") {
  vector const x{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  in_all_stages([](kt::dvector x) { return grad(sum(squares(x)), x); },
                [](vector const& g) { CHECK(same(g, vector{0, 2, 4, 6, 8, 10, 12, 0, 0, 0})); }, x);
  in_all_stages([](kt::dvector x) { return grad(squares(x)(-1), x); },
                [](vector const& g) { CHECK(same(g, vector{0, 0, 0, 0, 0, 0, 12, 0, 0, 0})); }, x);
  in_all_stages([](kt::dvector x) { return grad(sum(squares(x, kt::truncate_gradient(3))), x); },
                [](vector const& g) { CHECK(same(g, vector{0, 0, 0, 0, 8, 10, 12, 0, 0, 0})); }, x);
}

TEST_CASE("grad: rows of a matrix until one is large", "[loops][gradients]") {
  matrix const x{{1, 2}, {3, 4}, {5, 60}, {7, 8}};
  in_all_stages(
      [](kt::dmatrix x) {
        auto y = scan([](kt::dvector row) { return kt::until(max(row) > 50, row * row); }, kt::sequences(x));
        return grad(sum(y), x);
      },
      [](matrix const& g) { CHECK(same(g, matrix{{2, 4}, {6, 8}, {10, 120}, {0, 0}})); }, x);
}

TEST_CASE("grad: two taps of a sequence", "[loops][gradients]") {
  vector const x{1, 2, 3, 4, 5, 6, 7};
  // y_t = x_t x_(t+2) until x_(t+2) >= 5: three steps.
  in_all_stages(
      [](kt::dvector x) {
        auto y = scan([](auto a, auto b) { return kt::until(b >= 5, a * b); }, kt::sequences(kt::taps<-2, 0>(x)));
        return grad(sum(y), x);
      },
      [](vector const& g) { CHECK(same(g, vector{3, 4, 5 + 1, 2, 3, 0, 0})); }, x);
}

TEST_CASE("grad: a state, its start and a constant, to the second order", "[loops][gradients]") {
  // n steps, h_k = a^k h
  double const h = 1.5, a = 3;
  int n = 0;
  for (double x = h; x <= 100; ++n) x *= a;
  double by_h = 0, by_a = 0, last = 0, second = 0;
  for (int k = 1; k <= n; ++k) {
    by_h += std::pow(a, k);
    by_a += k * std::pow(a, k - 1) * h;
    last = k * std::pow(a, k - 1) * h;
    second += k * (k - 1) * std::pow(a, k - 2) * h;
  }
  in_all_stages(
      [](kt::dscalar h, kt::dscalar a) {
        auto y = states(h, a);
        auto [to_h, to_a] = grad(sum(y), h, a);
        return std::tuple(to_h, to_a, grad(y(-1), a), grad(to_a, a));
      },
      [&](auto const& found) {
        CHECK(std::get<0>(found) == Approx(by_h).epsilon(1e-13));
        CHECK(std::get<1>(found) == Approx(by_a).epsilon(1e-13));
        CHECK(std::get<2>(found) == Approx(last).epsilon(1e-13));
        CHECK(std::get<3>(found) == Approx(second).epsilon(1e-13));
      },
      h, a);
}

TEST_CASE("grad: products and a state of two taps until the states are large", "[loops][gradients]") {
  matrix const start{{0.1, 0.2}, {0.3, -0.1}}, W{{0.5, 0.4}, {0.3, 0.2}};
  kt::verify_grad(cost, start, W);
  in_all_stages([](kt::dmatrix start, kt::dmatrix W) { return grad(cost(start, W), W); },
                [&](matrix const& g) {
                  auto const f = kt::function(cost);
                  matrix up = W, down = W;
                  up(0, 1) += 1e-6, down(0, 1) -= 1e-6;
                  CHECK(g(0, 1) == Approx((f(start, up) - f(start, down)) / 2e-6).epsilon(1e-7));
                },
                start, W);
}

TEST_CASE("rop and vmap: a loop that a condition stops", "[loops][gradients]") {
  // Tangents are computed in the steps of the values, and stop with them.
  in_all_stages(
      [](kt::dscalar h, kt::dscalar a, kt::dscalar v) {
        auto y = states(h, a);
        return std::tuple(rop(y, a, v), rop(y(-1), a, v), grad(y(-1), a));
      },
      [](auto const& found) {
        auto const& [rows, last, by_a] = found;
        REQUIRE(rows.shape(0) == 4);  // 4.5, 13.5, 40.5, 121.5
        for (std::size_t k = 0; k < 4; ++k) {
          double const n = static_cast<double>(k) + 1;
          CHECK(rows(k) == Approx(2 * n * std::pow(3, n - 1) * 1.5).epsilon(1e-13));
        }
        CHECK(last == Approx(2 * by_a).epsilon(1e-13));
      },
      1.5, 3.0, 2.0);
  // The condition is the same for all slices, the states are not.
  auto const f = kt::function([](kt::dmatrix starts, kt::dscalar a) {
    return kt::vmap<0>([=](kt::dvector h) {
      auto [t, y] = scan([=](auto t, auto h) { return kt::until(t + 1 >= 3, t + 1, a * h); }, kt::outputs_info(0.0, h));
      return y;
    })(starts);
  });
  xt::xtensor<double, 3> const y = f(matrix{{1, 2}, {3, 4}}, 2.0);
  REQUIRE(y.shape() == std::array<std::size_t, 3>{2, 3, 2});
  CHECK(y(0, 2, 1) == 16);
  CHECK(y(1, 0, 0) == 6);
}
