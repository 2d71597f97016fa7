// States that take the place of what they were a step before.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace replaced_states {

using vector = xt::xtensor<double, 1>;

/// Short rows, which go through direct calls, and long ones, which do not.
constexpr std::size_t lengths[] = {3, 20000};
vector waves(std::size_t n, double speed) {
  vector x(std::array<std::size_t, 1>{n}, 0.0);
  for (std::size_t i = 0; i < n; ++i) x(i) = std::sin(speed * static_cast<double>(i) + 0.3);
  return x;
}

constexpr auto turned = [](kt::dvector x, kt::dvector y, kt::lscalar n) {
  auto [u, v, p, q] = foldl([](auto x, auto y, auto p, auto q) { return std::tuple(0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y, q, p); },
                            kt::outputs_info(x, y, x, y), kt::n_steps(n));
  return std::tuple(u, v, p, q, x + y);
};
constexpr auto stopped = [](kt::dvector x) {
  auto [u, d, before] = scan(
      [](auto x) {
        auto next = 0.5 * x;
        return kt::until(sum(sqr(x)) < 1.5, next, sum(sqr(next)) - x(0) * sum(x(kt::slice(kt::none, kt::none, -1))), x);
      },
      kt::outputs_info(x, kt::none, kt::none));
  return std::tuple(u(-1), d(-1), before(-1));
};
constexpr auto nested = [](kt::dvector x, kt::lscalar n) {
  auto [z, k] = foldl(
      [](auto x, auto k) {
        auto y = foldl([](auto y) { return 0.5 * y + 1; }, kt::outputs_info(x), kt::n_steps(k));
        return std::tuple(y, k + 1);
      },
      kt::outputs_info(2 * x, 0), kt::n_steps(n));
  return z + x;
};

/// Doubles a state in each step and adds up what it was: nothing reads the state itself.
constexpr auto sum_of_doubled = [](auto start, auto n) {
  auto const [v, total] =
      kt::scan([](auto v, auto total) { return std::tuple(2. * v, total + kt::sum(v)); },
               kt::outputs_info(start, 0.), kt::n_steps(n));
  return total(-1);
};
constexpr auto with_one_start = [](kt::dvector x, kt::lscalar n) {
  auto const start = x + 1.;
  auto const seen = kt::foldl([](auto element, auto v) { return v + element; }, kt::sequences(x),
                              kt::outputs_info(start));
  return std::tuple(seen, sum_of_doubled(start, n), sum_of_doubled(start, n + 1));
};

}  // namespace replaced_states

using namespace replaced_states;

TEST_CASE("scan: states that follow from each other take each other's place", "[loops]") {
  auto const f = kt::function(turned);
  auto const interpreted = kt::function(turned, kt::mode::interpret);
  for (std::size_t n : lengths)
    for (std::int64_t steps : {0, 1, 2, 5}) {
      vector const a = waves(n, 0.3), b = waves(n, 0.7);
      vector c = a, d = b;
      for (std::int64_t k = 0; k < steps; ++k) {
        vector const next = 0.6 * c - 0.8 * d;
        d = 0.8 * c + 0.6 * d;
        c = next;
      }
      for (auto const& [u, v, p, q, sum] : {f(a, b, steps), interpreted(a, b, steps)}) {
        CHECK((xt::allclose(u, c) && xt::allclose(v, d) && xt::allclose(sum, a + b)));
        CHECK(((steps % 2 == 0 ? p : q) == a));
        CHECK(((steps % 2 == 0 ? q : p) == b));
      }
    }
}

TEST_CASE("scan: what reads the state before another takes its place", "[loops]") {
  auto const f = kt::function(stopped);
  auto const interpreted = kt::function(stopped, kt::mode::interpret);
  for (std::size_t n : lengths) {
    vector const a = waves(n, 0.3);
    vector x = a, before = a;
    for (double square = 2; square >= 1.5; x *= 0.5) {
      before = x;
      square = xt::sum(vector(x * x))();
    }
    double const difference = xt::sum(vector(x * x))() - before(0) * xt::sum(before)();
    for (auto const& [u, d, read] : {f(a), interpreted(a)}) {
      CHECK((xt::allclose(u, x) && xt::allclose(read, before)));
      CHECK(d == Approx(difference));
    }
  }
}

TEST_CASE("scan: a loop in a loop goes on where the state lies", "[loops]") {
  auto const f = kt::function(nested);
  auto const interpreted = kt::function(nested, kt::mode::interpret);
  auto const debugged = kt::function(nested, kt::mode::debug);
  for (std::size_t n : lengths)
    for (std::int64_t steps : {0, 1, 2, 5}) {
      vector const a = waves(n, 0.3);
      vector z = 2 * a;
      for (std::int64_t k = 0; k < steps; ++k)
        for (std::int64_t j = 0; j < k; ++j) z = 0.5 * z + 1;
      CHECK((xt::allclose(f(a, steps), z + a)));
      CHECK((xt::allclose(interpreted(a, steps), z + a)));
      CHECK((xt::allclose(debugged(a, steps), z + a)));
    }
}

TEST_CASE("scan: an error in a step leaves what the loop began with", "[loops]") {
  auto const f = kt::function([](kt::dvector x, kt::lvector at) {
    return foldl([](auto i, auto x) { return 2 * x + x(i); }, kt::sequences(at), kt::outputs_info(x));
  });
  vector const x{1, 2, 3};
  xt::xtensor<std::int64_t, 1> const good{0, 1}, bad{0, 7};
  CHECK_THROWS_WITH(f(x, bad), Catch::Contains("step 1 of a scan"));
  CHECK((x == vector{1, 2, 3}));
  CHECK((f(x, good) == vector{11, 15, 19}));
}

TEST_CASE("scan: a start that several loops read is there for the last of them", "[loops]") {
  auto const f = kt::function(with_one_start);
  auto const interpreted = kt::function(with_one_start, kt::mode::interpret);
  for (std::size_t n : {1, 2, 3, 40, 20000}) {
    vector const x(std::array<std::size_t, 1>{n}, 1.0);
    for (auto const& [seen, first, second] : {f(x, 3), interpreted(x, 3)}) {
      CHECK((seen == vector(x * (2. + static_cast<double>(n)))));
      CHECK(first == 14. * static_cast<double>(n));
      CHECK(second == 30. * static_cast<double>(n));
    }
  }
}
