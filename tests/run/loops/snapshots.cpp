// Gradients of loops that keep few snapshots of the states.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

#include <sstream>
#include <vector>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

/// Whether two tuples of numbers and arrays agree.
template <class A, class B>
void agree(A const& a, B const& b) {
  if constexpr (std::is_arithmetic_v<A>) {
    CHECK(a == Approx(b).epsilon(1e-11));
  } else {
    REQUIRE(a.shape() == b.shape());
    CHECK(xt::allclose(a, b, 1e-11, 1e-13));
  }
}
template <class... A, class... B>
void agree(std::tuple<A...> const& a, std::tuple<B...> const& b) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (agree(std::get<I>(a), std::get<I>(b)), ...);
  }(std::index_sequence_for<A...>{});
}
vector waves(std::size_t n, double speed = 0.7) {
  vector x(std::array<std::size_t, 1>{n}, 0.0);
  for (std::size_t i = 0; i < n; ++i) x(i) = std::sin(speed * static_cast<double>(i) + 0.3);
  return x;
}
matrix rows_of_waves(std::size_t n, std::size_t m) {
  matrix x(std::array<std::size_t, 2>{n, m}, 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = std::sin(0.3 * static_cast<double>(i) + 0.1);
  return x;
}

// Leaves have as many steps as fit a page: of these states, one.
constexpr std::size_t wide = 600;

/// The parts of a schedule, and how often a step is taken in them at most.
long reversals(long steps, long room) {
  auto const split = kt::function([](kt::lscalar n, kt::lscalar room) { return kt::lscalar(kt::calculus::steps_to_snapshot(n, room)); });
  struct part {
    long begin, end, room;
  };
  std::vector<long> taken(static_cast<std::size_t>(steps), 0);
  for (std::vector<part> left{{0, steps, room}}; !left.empty();) {
    part const p = left.back();
    left.pop_back();
    if (p.end - p.begin == 1) continue;
    long const ahead = split(p.end - p.begin, p.room);
    REQUIRE(ahead >= 1);
    REQUIRE(ahead < p.end - p.begin);
    REQUIRE((p.room > 1 || ahead == p.end - p.begin - 1));
    for (long k = p.begin; k < p.begin + ahead; ++k) ++taken[static_cast<std::size_t>(k)];
    left.push_back({p.begin, p.begin + ahead, p.room});
    left.push_back({p.begin + ahead, p.end, p.room - 1});
  }
  return *std::max_element(taken.begin(), taken.end());
}
long steps_reversed(long room, long times) {
  long count = 1;
  for (long k = 1; k <= times; ++k) count = count * (room + k) / k;
  return count;
}


constexpr auto network = [](auto option, kt::dmatrix X, kt::dvector h, kt::dvector w) {
  auto [states, sums] = scan(
      [=](kt::dvector x, kt::dvector h) {
        auto next = tanh(w * h + x);
        return std::tuple(next, mean(next * x));
      },
      kt::sequences(X), kt::outputs_info(h, kt::none), option);
  auto cost = sum(states * states) + sum(exp(sums)) + sum(states(-1));
  auto [dX, dh, dw] = grad(cost, X, h, w);
  return std::tuple(cost, dX, dh, dw);
};

constexpr auto fold = [](auto option, kt::dscalar x, kt::dscalar a, kt::lscalar n) {
  auto y = foldl([=](kt::dscalar h) { return a * h * (1 - h); }, kt::outputs_info(x), kt::n_steps(n), option);
  auto [dx, da] = grad(y, x, a);
  return std::tuple(y, dx, da);
};

// Loops whose gradient stores all states.
constexpr auto plain = kt::unroll(1);

}  // namespace

TEST_CASE("snapshots: the schedule takes no step more often than it must", "[loops][gradients]") {
  for (long room : {1, 2, 3, 5, 20})
    for (long steps : {2, 3, 5, 6, 10, 21, 56, 100, 231}) {
      long times = 0;
      while (steps_reversed(room, times) < steps) ++times;
      CHECK(reversals(steps, room) == times);
    }
}

TEST_CASE("snapshots: states, outputs and gradients are those of the plain loop", "[loops][gradients]") {
  auto const f = kt::function([](kt::dmatrix X, kt::dvector h, kt::dvector w) { return network(plain, X, h, w); });
  auto const one = kt::function([](kt::dmatrix X, kt::dvector h, kt::dvector w) { return network(kt::snapshots(1), X, h, w); });
  auto const three = kt::function([](kt::dmatrix X, kt::dvector h, kt::dvector w) { return network(kt::snapshots(3), X, h, w); });
  auto const many =
      kt::function([](kt::dmatrix X, kt::dvector h, kt::dvector w) { return network(kt::snapshots(20), X, h, w); }, kt::mode::interpret);
  for (std::size_t n : {1u, 2u, 3u, 4u, 5u, 11u, 30u}) {
    auto const expected = f(rows_of_waves(n, wide), waves(wide), waves(wide, 0.1));
    agree(one(rows_of_waves(n, wide), waves(wide), waves(wide, 0.1)), expected);
    agree(three(rows_of_waves(n, wide), waves(wide), waves(wide, 0.1)), expected);
    agree(many(rows_of_waves(n, wide), waves(wide), waves(wide, 0.1)), expected);
  }
  // Leaves of 22 steps
  auto const expected = f(rows_of_waves(500, 20), waves(20), waves(20, 0.1));
  agree(one(rows_of_waves(500, 20), waves(20), waves(20, 0.1)), expected);
  agree(three(rows_of_waves(500, 20), waves(20), waves(20, 0.1)), expected);
  agree(many(rows_of_waves(500, 20), waves(20), waves(20, 0.1)), expected);
}

TEST_CASE("snapshots: interpreted and in debug mode", "[loops][gradients]") {
  constexpr auto by_three = [](kt::dmatrix X, kt::dvector h, kt::dvector w) { return network(kt::snapshots(3), X, h, w); };
  auto const f = kt::function([](kt::dmatrix X, kt::dvector h, kt::dvector w) { return network(plain, X, h, w); });
  auto const interpreted = kt::function(by_three, kt::mode::interpret);
  auto const debugged = kt::function(by_three, kt::mode::debug);
  for (std::size_t n : {1u, 2u, 7u, 12u}) {
    auto const expected = f(rows_of_waves(n, wide), waves(wide), waves(wide, 0.1));
    agree(interpreted(rows_of_waves(n, wide), waves(wide), waves(wide, 0.1)), expected);
    agree(debugged(rows_of_waves(n, wide), waves(wide), waves(wide, 0.1)), expected);
  }
}

TEST_CASE("snapshots: numbers, no steps, and many", "[loops][gradients]") {
  auto const f = kt::function([](kt::dscalar x, kt::dscalar a, kt::lscalar n) { return fold(plain, x, a, n); });
  auto const g = kt::function([](kt::dscalar x, kt::dscalar a, kt::lscalar n) { return fold(kt::snapshots(4), x, a, n); });
  auto const debugged = kt::function([](kt::dscalar x, kt::dscalar a, kt::lscalar n) { return fold(kt::snapshots(4), x, a, n); },
                                     kt::mode::debug);
  for (std::int64_t n : {0, 1, 2, 455, 456, 20000}) {
    agree(g(0.3, 0.99, n), f(0.3, 0.99, n));
    agree(debugged(0.3, 0.99, n), f(0.3, 0.99, n));
  }
  CHECK_THROWS_WITH(g(0.3, 0.99, -7), Catch::Contains("-7"));
}

TEST_CASE("snapshots: the graph says so", "[loops][print]") {
  auto const f = kt::graph_of([](kt::dscalar x, kt::lscalar n) {
    return foldl([](auto h) { return h * h; }, kt::outputs_info(x), kt::n_steps(n), kt::snapshots(7));
  });
  std::ostringstream text;
  kt::debugprint(f, text);
  CHECK_THAT(text.str(), Catch::Contains("7 snapshots"));
}

TEST_CASE("snapshots: what is refused while it is recorded", "[loops][errors]") {
  auto const refused = [](auto... options) {
    kt::graph g;
    kt::dvector const x(kt::term{&g, g.input(kt::dvector::parameter_type, 0)});
    scan([](auto e, auto s) { return s + e; }, kt::sequences(x), kt::outputs_info(0.0), options...);
    return std::string(g.error());
  };
  CHECK(refused(kt::snapshots(0)) == "kt::snapshots: a gradient keeps at least one snapshot, that of the start");
  CHECK(refused(kt::snapshots(-3)) == "kt::snapshots: a gradient keeps at least one snapshot, that of the start");
  CHECK(refused(kt::snapshots(3), kt::checkpoint) ==
        "kt::snapshots: a loop in segments has no snapshots: leave out kt::checkpoint or kt::snapshots");
}
