// Loops of numbers in the steps of loops, which take them without a frame.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <xtensor/xtensor.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace kt = kroton;

namespace direct_nested_loops_tests {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using numbers = xt::xtensor<std::int64_t, 1>;

/// The distance of Levenshtein, row by row.
constexpr auto distance = [](kt::lvector s, kt::lvector t) {
  auto row = foldl(
      [&](kt::lscalar c, kt::lvector before) {
        auto cost = kt::cast<std::int64_t>(neq(t, c));
        auto start = before(0) + 1;
        auto rest = scan([](auto up, auto diagonal, auto k, auto left) { return minimum(minimum(up, left) + 1, diagonal + k); },
                         kt::sequences(before(kt::slice(1, kt::none)), before(kt::slice(kt::none, -1)), cost), kt::outputs_info(start));
        return kt::concatenate<0>(kt::reshape<1>(start, 1), rest);
      },
      kt::sequences(s), kt::outputs_info(kt::arange(t.shape(0) + 1)));
  return row(-1);
};

/// Each step filters its state forward with two taps, then backward, and takes a last value and one with a limit of steps.
constexpr auto filtered = [](kt::dmatrix x, kt::dvector start, kt::dscalar a) {
  auto [state, last] = scan(
      [&](kt::dvector now, kt::dvector before) {
        auto up = scan([&](auto v, auto two, auto one) { return v + a * one - a * a * two / 3; }, kt::sequences(before + now),
                       kt::outputs_info(kt::taps<-2, -1>(now(kt::slice(0, 2)))));
        auto down = scan([&](auto v, auto s) { return tanh(v - a * s); }, kt::sequences(up), kt::outputs_info(0.), kt::go_backwards);
        auto product = foldl([&](auto v, auto s) { return s * (1 + v / 8); }, kt::sequences(down), kt::outputs_info(now(0)));
        return std::tuple(down(kt::slice(kt::none, kt::none, -1)), product);
      },
      kt::sequences(x), kt::outputs_info(start, kt::none));
  return std::tuple(state, last);
};
constexpr auto cost = [](kt::dmatrix x, kt::dvector start, kt::dscalar a) {
  auto [state, last] = filtered(x, start, a);
  return sum(sqr(state)) + sum(last);
};
constexpr auto slope = [](kt::dmatrix x, kt::dvector start, kt::dscalar a) {
  auto c = cost(x, start, a);
  auto [by_x, by_start, by_a] = grad(c, x, start, a);
  return std::tuple(c, by_x, by_start, by_a);
};

/// A body that stops its own loop keeps its frame.
constexpr auto halves = [](kt::lvector n) {
  return map(
      [](kt::lscalar n) {
        auto all = scan([](kt::lscalar k) { return kt::until(k < 4, floordiv(k, 2)); }, kt::outputs_info(n), kt::n_steps(70));
        return all.shape(0);
      },
      kt::sequences(n));
};

}  // namespace direct_nested_loops_tests

using namespace direct_nested_loops_tests;

TEST_CASE("distances of words by loops in loops", "[loops]") {
  auto const f = kt::function(distance);
  auto const count = [&](std::string const& a, std::string const& b) {
    numbers s(std::array<std::size_t, 1>{a.size()}), t(std::array<std::size_t, 1>{b.size()});
    std::copy(a.begin(), a.end(), s.begin()), std::copy(b.begin(), b.end(), t.begin());
    return static_cast<std::int64_t>(f(s, t));
  };
  CHECK(count("kitten", "sitting") == 3);
  CHECK(count("", "abc") == 3);
  CHECK(count("abc", "") == 3);
  CHECK(count("a", "b") == 1);
  CHECK(count("intention", "execution") == 5);
}

TEST_CASE("filters in the steps of a loop", "[loops]") {
  auto const f = kt::function(filtered);
  auto const c = kt::function(cost);
  auto const g = kt::function(slope);
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> draw(-1, 1);
  for (std::size_t n : {2u, 3u, 4u, 9u, 40u}) {
    CAPTURE(n);
    constexpr std::size_t steps = 4;
    double const a = 0.4;
    matrix x(std::array<std::size_t, 2>{steps, n});
    vector start(std::array<std::size_t, 1>{n});
    for (auto& v : x) v = draw(engine);
    for (auto& v : start) v = draw(engine);
    auto const [state, last] = f(x, start, a);
    std::vector<double> before(&start(0), &start(0) + n);
    for (std::size_t t = 0; t < steps; ++t) {
      std::vector<double> up(n), down(n);
      double two = x(t, 0), one = x(t, 1);
      for (std::size_t i = 0; i < n; ++i) {
        up[i] = before[i] + x(t, i) + a * one - a * a * two / 3;
        two = one, one = up[i];
      }
      double s = 0, product = x(t, 0);
      for (std::size_t i = n; i-- > 0;) s = down[i] = std::tanh(up[i] - a * s);
      for (std::size_t i = n; i-- > 0;) product *= 1 + down[i] / 8;
      for (std::size_t i = 0; i < n; ++i) REQUIRE(state(t, i) == Approx(down[i]).epsilon(1e-13).margin(1e-14));
      REQUIRE(last(t) == Approx(product).epsilon(1e-13));
      before = down;
    }
    auto const [value, by_x, by_start, by_a] = g(x, start, a);
    double const h = 1e-6;
    CHECK(value == Approx(static_cast<double>(c(x, start, a))).epsilon(1e-13));
    CHECK(by_a == Approx((c(x, start, a + h) - c(x, start, a - h)) / (2 * h)).epsilon(1e-6).margin(1e-8));
    for (std::size_t i = 0; i < n; ++i) {
      vector over = start, under = start;
      over(i) += h, under(i) -= h;
      CHECK(by_start(i) == Approx((c(x, over, a) - c(x, under, a)) / (2 * h)).epsilon(1e-6).margin(1e-8));
      matrix more = x, less = x;
      more(1, i) += h, less(1, i) -= h;
      CHECK(by_x(1, i) == Approx((c(more, start, a) - c(less, start, a)) / (2 * h)).epsilon(1e-6).margin(1e-8));
    }
  }
}

TEST_CASE("loops in loops that stop", "[loops]") {
  numbers const counts = kt::function(halves)(numbers{1, 4, 1000});
  CHECK(counts(0) == 1);
  CHECK(counts(1) == 2);
  CHECK(counts(2) == 9);
}
