// Elements and rows by vectors of indices in steps of loops, which take them without a frame.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <xtensor/xtensor.hpp>

#include <random>
#include <string>

namespace kt = kroton;

namespace direct_takes_tests {

template <class T>
using matrix = xt::xtensor<T, 2>;
using indices = xt::xtensor<std::int64_t, 2>;

/// Elements of a state, of a matrix, of its transpose, with one index for all, and rows.
template <class T>
constexpr auto taken = [](kt::matrix<std::int64_t> i, kt::matrix<std::int64_t> j, kt::variable<T, 2> m, kt::variable<T, 1> start) {
  return scan(
      [&](kt::lvector i, kt::lvector j, kt::variable<T, 1> before) {
        return std::tuple(before(i) + m(i, j), before(j(kt::slice(kt::none, kt::none, 2))), m.T()(i, j), m(1, j), m(i),
                          m(i, i(0)));
      },
      kt::sequences(i, j), kt::outputs_info(start, kt::none, kt::none, kt::none, kt::none, kt::none));
};

template <class T>
void check(std::size_t n) {
  CAPTURE(n, sizeof(T));
  constexpr std::size_t steps = 6;
  indices i(std::array<std::size_t, 2>{steps, n}), j = i;
  matrix<T> m(std::array<std::size_t, 2>{n, n});
  xt::xtensor<T, 1> start(std::array<std::size_t, 1>{n});
  std::mt19937 engine(3);
  auto const any = [&] { return static_cast<std::int64_t>(engine() % (2 * n)) - static_cast<std::int64_t>(n); };
  for (auto& x : i) x = any();
  for (auto& x : j) x = any();
  for (std::size_t k = 0; k < m.size(); ++k) m.flat(k) = static_cast<T>(engine() % 100);
  for (std::size_t k = 0; k < n; ++k) start(k) = static_cast<T>(k);
  auto const f = kt::function(taken<T>);
  auto const [state, some, turned, of_one, rows, column] = f(i, j, m, start);
  auto const at = [&](std::int64_t k) { return static_cast<std::size_t>(k < 0 ? k + static_cast<std::int64_t>(n) : k); };
  std::vector<T> before(&start(0), &start(0) + n);
  for (std::size_t t = 0; t < steps; ++t) {
    std::vector<T> next(n);
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t const a = at(i(t, k)), b = at(j(t, k));
      next[k] = static_cast<T>(before[a] + m(a, b));
      REQUIRE(state(t, k) == next[k]);
      if (k % 2 == 0) REQUIRE(some(t, k / 2) == before[b]);
      REQUIRE(turned(t, k) == m(b, a));
      REQUIRE(of_one(t, k) == m(1, b));
      REQUIRE(column(t, k) == m(a, at(i(t, 0))));
      for (std::size_t c = 0; c < n; ++c) REQUIRE(rows(t, k, c) == m(a, c));
    }
    before = next;
  }
}

}  // namespace direct_takes_tests

using namespace direct_takes_tests;

TEST_CASE("elements by vectors of indices in steps of a loop", "[loops]") {
  for (std::size_t n : {2u, 3u, 8u, 21u}) {
    check<double>(n);
    check<float>(n);
    check<std::int8_t>(n);
  }
}

TEST_CASE("indices out of range in a step of a loop", "[loops]") {
  auto const f = kt::function([](kt::matrix<std::int64_t> i, kt::dvector start) {
    return scan([](kt::lvector i, kt::dvector before) { return 2 * before(i); }, kt::sequences(i), kt::outputs_info(start));
  });
  xt::xtensor<double, 1> const start{1, 2, 3};
  indices i{{0, -3, 2}, {2, 1, -1}, {0, 0, 0}};
  matrix<double> const all = f(i, start);
  CHECK(all(2, 0) == 24);
  for (std::int64_t bad : {3ll, -4ll, 1ll << 40}) {
    i(1, 1) = bad;
    std::string text;
    try {
      (void)f(i, start);
    } catch (kt::value_error const& e) {
      text = e.what();
    }
    CHECK(text.find("index " + std::to_string(bad) + " at position 1 is out of range") != std::string::npos);
    CHECK(text.find("step 1") != std::string::npos);
  }
}
