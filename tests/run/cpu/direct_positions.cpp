// Positions of extrema in steps of loops, which find them without a frame.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xtensor.hpp>

#include <limits>

namespace kt = kroton;

namespace direct_positions_tests {

using positions = xt::xtensor<std::int64_t, 3>;
template <class T>
using stack = xt::xtensor<T, 3>;

/// Along both axes of matrices, in vectors, and in a matrix that is transposed; by a state that is 1, so that all stays in the loop.
template <class T>
constexpr auto found = [](kt::variable<T, 3> x, kt::variable<T, 0> start) {
  return scan(
      [](kt::variable<T, 2> element, kt::variable<T, 0> one) {
        auto m = element * one;
        auto flipped = m.T();
        return std::tuple(one * one, argmax(m, kt::axis<0>), argmin(m, kt::axis<0>), argmax(m, kt::axis<1>), argmin(flipped, kt::axis<1>),
                          argmax(m(0)), argmin(m(kt::slice(), 0)));
      },
      kt::sequences(x), kt::outputs_info(start, kt::none, kt::none, kt::none, kt::none, kt::none, kt::none));
};

/// The first of the best in a line of n elements, or the first NaN.
template <class T, class Line>
std::int64_t first_best(Line const& line, std::size_t n, bool largest) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < n; ++i) {
    T const v = line(i), b = line(best);
    if (b != b) break;
    if (v != v || (largest ? v > b : v < b)) best = i;
  }
  return static_cast<std::int64_t>(best);
}

template <class T>
void check(std::size_t rows, std::size_t columns) {
  CAPTURE(rows, columns, sizeof(T));
  stack<T> x(std::array<std::size_t, 3>{6, rows, columns});
  // Many are equal, and some are NaN
  for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = static_cast<T>((i * i + i / 3) % 7);
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t i = 5; i < x.size(); i += 23) x.flat(i) = std::numeric_limits<T>::quiet_NaN();
  auto const f = kt::function(found<T>);
  auto const [ones, a, b, c, d, e, g] = f(x, T{1});
  for (std::size_t k = 0; k < 6; ++k) {
    for (std::size_t j = 0; j < columns; ++j) {
      auto const line = [&](std::size_t i) { return x(k, i, j); };
      REQUIRE(a(k, j) == first_best<T>(line, rows, true));
      REQUIRE(b(k, j) == first_best<T>(line, rows, false));
      REQUIRE(d(k, j) == first_best<T>(line, rows, false));
    }
    for (std::size_t i = 0; i < rows; ++i)
      REQUIRE(c(k, i) == first_best<T>([&](std::size_t j) { return x(k, i, j); }, columns, true));
    REQUIRE(e(k) == first_best<T>([&](std::size_t j) { return x(k, 0, j); }, columns, true));
    REQUIRE(g(k) == first_best<T>([&](std::size_t i) { return x(k, i, 0); }, rows, false));
  }
}

}  // namespace direct_positions_tests

using namespace direct_positions_tests;

TEST_CASE("positions in steps of a loop", "[loops]") {
  for (std::size_t rows : {1u, 2u, 3u, 4u, 5u, 8u, 37u})
    for (std::size_t columns : {rows, std::size_t{1}, std::size_t{3}, std::size_t{21}}) {
      check<double>(rows, columns);
      check<float>(rows, columns);
      check<std::int8_t>(rows, columns);
    }
}

TEST_CASE("positions in the algorithm of Viterbi", "[loops]") {
  auto const f = kt::function([](kt::dmatrix seen, kt::dmatrix moves) {
    auto [best, back] = scan(
        [&](kt::dvector now, kt::dvector before) {
          auto s = dimshuffle<0, 'x'>(before) + moves;
          return std::tuple(now + max(s, kt::axis<0>), argmax(s, kt::axis<0>));
        },
        kt::sequences(seen(kt::slice(1, kt::none))), kt::outputs_info(seen(0), kt::none));
    return std::tuple(best(-1), back);
  });
  for (std::size_t k : {1u, 2u, 3u, 4u, 7u, 40u}) {
    xt::xtensor<double, 2> seen(std::array<std::size_t, 2>{30, k}), moves(std::array<std::size_t, 2>{k, k});
    for (std::size_t i = 0; i < seen.size(); ++i) seen.flat(i) = static_cast<double>(i * i % 11);
    for (std::size_t i = 0; i < moves.size(); ++i) moves.flat(i) = static_cast<double>(i * i % 5);
    auto const [best, back] = f(seen, moves);
    std::vector<double> before(&seen(0, 0), &seen(0, 0) + k);
    for (std::size_t t = 1; t < 30; ++t) {
      std::vector<double> next(k);
      for (std::size_t j = 0; j < k; ++j) {
        auto const line = [&](std::size_t i) { return before[i] + moves(i, j); };
        std::int64_t const at = first_best<double>(line, k, true);
        REQUIRE(back(t - 1, j) == at);
        next[j] = seen(t, j) + line(static_cast<std::size_t>(at));
      }
      before = next;
    }
    for (std::size_t j = 0; j < k; ++j) REQUIRE(best(j) == before[j]);
  }
}
