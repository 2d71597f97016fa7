// Loops whose elements are only searched for extrema, which they need not store: in steps of scans and in functions.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <xtensor/xtensor.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace kt = kroton;

namespace searched_loops_tests {

template <class T>
using matrix = xt::xtensor<T, 2>;
using positions = xt::xtensor<std::int64_t, 2>;

/// The first of the best among n numbers, or the first NaN.
template <class T, class Line>
std::size_t first_best(Line const& line, std::size_t n, bool largest) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < n; ++i) {
    T const v = line(i), b = line(best);
    if (b != b) break;
    if (v != v || (largest ? v > b : v < b)) best = i;
  }
  return best;
}
template <class T>
bool same(T a, T b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// Along columns, along rows of a constant and of elements of a sequence, without the extrema, and mapped.
template <class T>
constexpr auto found = [](kt::variable<T, 2> x, kt::variable<T, 2> m, kt::variable<T, 3> changing, kt::variable<T, 1> start) {
  return scan(
      [&](kt::variable<T, 1> now, kt::variable<T, 2> own, kt::variable<T, 1> before) {
        auto over = dimshuffle<0, 'x'>(before) + m;
        auto along = now - 2 * (before * m);
        auto of_own = own + before;
        auto [mapped, where] = kt::vmap<0>([&](kt::variable<T, 1> row) {
          auto s = row - before;
          return std::tuple(max(s), argmax(s));
        })(m);
        return std::tuple(now / 4 + before / 2, max(over, kt::axis<0>), argmax(over, kt::axis<0>), min(along, kt::axis<1>),
                          argmin(along, kt::axis<1>), argmax(of_own, kt::axis<1>), mapped, where);
      },
      kt::sequences(x, changing),
      kt::outputs_info(start, kt::none, kt::none, kt::none, kt::none, kt::none, kt::none, kt::none));
};

template <class T>
void check(std::size_t n, bool with_nan, bool with_infinity) {
  CAPTURE(n, with_nan, with_infinity, sizeof(T));
  constexpr std::size_t steps = 5;
  matrix<T> x(std::array<std::size_t, 2>{steps, n}), m(std::array<std::size_t, 2>{n, n});
  xt::xtensor<T, 3> changing(std::array<std::size_t, 3>{steps, n, n});
  xt::xtensor<T, 1> start(std::array<std::size_t, 1>{n});
  std::mt19937 engine(7);
  // Small integers, of which many are equal
  auto const fill = [&](auto& a) {
    for (std::size_t i = 0; i < a.size(); ++i) a.flat(i) = static_cast<T>(static_cast<int>(engine() % 9) - 4);
  };
  fill(x), fill(m), fill(changing), fill(start);
  if (with_infinity)
    for (std::size_t i = 0; i < m.size(); i += 3) m.flat(i) = (i % 2 == 0 ? -1 : 1) * std::numeric_limits<T>::infinity();
  if (with_nan) {
    for (std::size_t i = 4; i < m.size(); i += 11) m.flat(i) = std::numeric_limits<T>::quiet_NaN();
    for (std::size_t i = 2; i < changing.size(); i += 17) changing.flat(i) = std::numeric_limits<T>::quiet_NaN();
  }
  auto const f = kt::function(found<T>);
  auto const [state, over, at_over, along, at_along, at_own, mapped, at_mapped] = f(x, m, changing, start);
  std::vector<T> before(&start(0), &start(0) + n);
  for (std::size_t t = 0; t < steps; ++t) {
    for (std::size_t j = 0; j < n; ++j) {
      auto const a = [&](std::size_t i) { return before[i] + m(i, j); };
      auto const b = [&](std::size_t i) { return x(t, i) - 2 * (before[i] * m(j, i)); };
      auto const c = [&](std::size_t i) { return changing(t, j, i) + before[i]; };
      auto const d = [&](std::size_t i) { return m(j, i) - before[i]; };
      std::size_t const ka = first_best<T>(a, n, true), kb = first_best<T>(b, n, false), kd = first_best<T>(d, n, true);
      REQUIRE(static_cast<std::size_t>(at_over(t, j)) == ka);
      REQUIRE(same(over(t, j), a(ka)));
      REQUIRE(static_cast<std::size_t>(at_along(t, j)) == kb);
      REQUIRE(same(along(t, j), b(kb)));
      REQUIRE(static_cast<std::size_t>(at_own(t, j)) == first_best<T>(c, n, true));
      REQUIRE(static_cast<std::size_t>(at_mapped(t, j)) == kd);
      REQUIRE(same(mapped(t, j), d(kd)));
    }
    for (std::size_t j = 0; j < n; ++j) {
      before[j] = x(t, j) / 4 + before[j] / 2;
      REQUIRE(state(t, j) == before[j]);
    }
  }
}

/// Positions that are a state, and which the search of the same step reads.
constexpr auto followed = [](kt::dmatrix m, kt::lvector start, kt::lscalar n) {
  return scan(
      [&](kt::lvector at) {
        auto s = m - kt::cast<double>(at);
        return argmax(s, kt::axis<0>);
      },
      kt::outputs_info(start), kt::n_steps(n));
};
constexpr auto nearest = [](kt::dmatrix a, kt::dvector b) {
  auto d = sqr(dimshuffle<0, 'x'>(b) - a);
  return std::tuple(argmin(d, kt::axis<0>), min(d, kt::axis<0>), argmin(d, kt::axis<1>));
};
/// What is searched is read once more, by a loop and as a result.
constexpr auto kept = [](kt::dmatrix a, kt::dvector b) {
  auto d = a * b;
  return std::tuple(argmin(d, kt::axis<0>), min(d, kt::axis<0>), d, sum(d, kt::axis<0>));
};

}  // namespace searched_loops_tests

using namespace searched_loops_tests;

TEST_CASE("loops that are searched", "[loops]") {
  for (std::size_t n : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 16u, 23u, 40u, 64u, 70u})
    for (bool with_nan : {false, true})
      for (bool with_infinity : {false, true}) {
        check<double>(n, with_nan, with_infinity);
        check<float>(n, with_nan, with_infinity);
      }
}

TEST_CASE("positions that follow from positions", "[loops]") {
  auto const f = kt::function(followed);
  for (std::size_t n : {1u, 3u, 8u, 19u}) {
    matrix<double> m(std::array<std::size_t, 2>{n, n});
    for (std::size_t i = 0; i < m.size(); ++i) m.flat(i) = static_cast<double>(i * i % 17);
    xt::xtensor<std::int64_t, 1> start(std::array<std::size_t, 1>{n});
    for (std::size_t i = 0; i < n; ++i) start(i) = static_cast<std::int64_t>(n - i);
    positions const all = f(m, start, 4);
    std::vector<std::int64_t> at(&start(0), &start(0) + n);
    for (std::size_t t = 0; t < 4; ++t)
      for (std::size_t j = 0; j < n; ++j) {
        at[j] = static_cast<std::int64_t>(first_best<double>([&](std::size_t i) { return m(i, j) - static_cast<double>(at[j]); }, n, true));
        REQUIRE(all(t, j) == at[j]);
      }
  }
}

TEST_CASE("loops that are searched in functions") {
  auto const f = kt::function(nearest);
  auto const g = kt::function(kept);
  for (std::size_t n : {1u, 3u, 6u, 17u})
    for (std::size_t k : {1u, 2u, 9u, 33u}) {
      matrix<double> a(std::array<std::size_t, 2>{n, k});
      xt::xtensor<double, 1> b(std::array<std::size_t, 1>{n}), c(std::array<std::size_t, 1>{k});
      for (std::size_t i = 0; i < a.size(); ++i) a.flat(i) = static_cast<double>(i * i % 13);
      for (std::size_t i = 0; i < n; ++i) b(i) = static_cast<double>(5 * i % 11);
      for (std::size_t i = 0; i < k; ++i) c(i) = static_cast<double>(7 * i % 5) - 2;
      auto const d = [&](std::size_t i, std::size_t j) { return (b(i) - a(i, j)) * (b(i) - a(i, j)); };
      auto const [over, least, along] = f(a, b);
      auto const [at, smallest, product, total] = g(a, c);
      for (std::size_t j = 0; j < k; ++j) {
        std::size_t const at_d = first_best<double>([&](std::size_t i) { return d(i, j); }, n, false);
        REQUIRE(static_cast<std::size_t>(over(j)) == at_d);
        REQUIRE(least(j) == d(at_d, j));
        std::size_t const at_p = first_best<double>([&](std::size_t i) { return a(i, j) * c(j); }, n, false);
        REQUIRE(static_cast<std::size_t>(at(j)) == at_p);
        REQUIRE(smallest(j) == a(at_p, j) * c(j));
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
          REQUIRE(product(i, j) == a(i, j) * c(j));
          sum += a(i, j) * c(j);
        }
        REQUIRE(total(j) == sum);
      }
      for (std::size_t i = 0; i < n; ++i)
        REQUIRE(static_cast<std::size_t>(along(i)) == first_best<double>([&](std::size_t j) { return d(i, j); }, k, false));
    }
}

TEST_CASE("what equals the extremum stands where it does") {
  constexpr auto written = [](kt::dmatrix x) {
    return std::tuple(argmax(kt::cast<std::int8_t>(eq(x, max(x, kt::axis<0>))), kt::axis<0>),
                      argmax(kt::cast<double>(eq(min(x, kt::axis<1>, kt::keepdims), x)), kt::axis<1>));
  };
  constexpr auto meant = [](kt::dmatrix x) { return std::tuple(argmax(x, kt::axis<0>), argmin(x, kt::axis<1>)); };
  STATIC_REQUIRE(std::is_same_v<kt::optimized<written>, kt::optimized<meant>>);
  // Not the extremum of these
  constexpr auto other = [](kt::dmatrix x) { return argmax(kt::cast<double>(eq(x, max(x, kt::axis<0>))), kt::axis<1>); };
  matrix<double> const x{{1, 5, 2}, {4, 0, 2}, {4, 5, 1}};
  xt::xtensor<std::int64_t, 1> const at = kt::function(other)(x);
  CHECK(at(0) == 1);
  CHECK(at(1) == 0);
  CHECK(at(2) == 0);
}
