// States of which a step writes a part are updated in place.
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

/// The result of a function, which is the same in all modes.
template <class F, class... A>
auto in_all_modes(F const& f, A const&... arguments) {
  auto const made = kt::function(f)(arguments...);
  CHECK((kt::function(f, kt::mode::interpret)(arguments...) == made));
  CHECK((kt::function(f, kt::mode::debug)(arguments...) == made));
  return made;
}

constexpr auto powers = [](kt::dscalar a, kt::dvector x) {
  return foldl([=](auto i, auto x) { return set_subtensor(x(i + 1), a * x(i)); }, kt::sequences(kt::arange(x.shape(0) - 1)), kt::outputs_info(x));
};

}  // namespace

TEST_CASE("scan: an array that a loop fills", "[loops]") {
  constexpr auto squares = [](kt::dvector start, kt::lscalar n) {
    return foldl([](auto i, auto x) { return set_subtensor(x(i), kt::cast<double>(i * i)); }, kt::sequences(kt::arange(n)),
                 kt::outputs_info(start));
  };
  CHECK((in_all_modes(squares, vector{7, 7, 7, 7, 7}, 4) == vector{0, 1, 4, 9, 7}));
  CHECK((in_all_modes(squares, vector{7, 7}, 0) == vector{7, 7}));
  vector large = kt::function(squares)(vector(std::array<std::size_t, 1>{5000}, 1.0), 4999);
  for (std::size_t i = 0; i < 4999; ++i) REQUIRE(large(i) == static_cast<double>(i * i));
  CHECK((large(4999) == 1));
}

TEST_CASE("scan: the start of an array that a loop fills stays as it is", "[loops]") {
  constexpr auto f = [](kt::dvector x, kt::lscalar n) {
    auto start = 2 * x;
    auto filled = foldl([](auto i, auto x) { return inc_subtensor(x(i), 10); }, kt::sequences(kt::arange(n)), kt::outputs_info(start));
    return std::tuple(start, filled, filled + x);
  };
  CHECK((in_all_modes(f, vector{1, 2, 3}, 2) == std::tuple(vector{2, 4, 6}, vector{12, 14, 6}, vector{13, 16, 9})));
  CHECK((in_all_modes(f, vector{1, 2, 3}, 0) == std::tuple(vector{2, 4, 6}, vector{2, 4, 6}, vector{3, 6, 9})));
  constexpr auto zero = [](kt::dvector x) {
    return foldl([](auto e, auto i, auto s) { return set_subtensor(s(kt::slice(i, i + 1)), e + 1); }, kt::sequences(x, kt::arange(x.shape(0))),
                 kt::outputs_info(zeros_like(x)));
  };
  CHECK((in_all_modes(zero, vector{1, 2, 3}) == vector{2, 3, 4}));
}

TEST_CASE("scan: what reads a state before a part of it is written", "[loops]") {
  // One element follows from the others
  constexpr auto sums = [](kt::dvector x, kt::lscalar n) {
    return foldl([](auto i, auto x) { return set_subtensor(x(i + 1), x(i) + sum(x)); }, kt::sequences(kt::arange(n)), kt::outputs_info(x));
  };
  CHECK((in_all_modes(sums, vector{1, 1, 0, 5}, 3) == vector{1, 8, 22, 58}));
  // An output is the old state, or read from it
  constexpr auto old = [](kt::dvector x, kt::lscalar n) {
    auto [y, before, total] = scan([](auto i, auto x) { return std::tuple(set_subtensor(x(i), -x(i)), x, sqr(sum(x * x))); },
                                   kt::sequences(kt::arange(n)), kt::outputs_info(x, kt::none, kt::none));
    return std::tuple(y(-1), before, total);
  };
  auto const [y, before, total] = in_all_modes(old, vector{1, 2}, 2);
  CHECK((y == vector{-1, -2}));
  CHECK((before == matrix{{1, 2}, {-1, 2}}));
  CHECK((total == vector{25, 25}));
  // Parts that lie over each other
  constexpr auto shifted = [](kt::dvector x, kt::lscalar n) {
    return foldl([](auto, auto x) { return set_subtensor(x(kt::slice(1, kt::none)), x(kt::slice(0, -1))); }, kt::sequences(kt::arange(n)),
                 kt::outputs_info(x));
  };
  CHECK((in_all_modes(shifted, vector{1, 2, 3, 4, 5}, 2) == vector{1, 1, 1, 2, 3}));
  constexpr auto reversed = [](kt::dvector x, kt::lscalar n) {
    return foldl([](auto, auto x) { return set_subtensor(x(kt::slice(0, 2)), x(kt::slice(kt::none, kt::none, -1))(kt::slice(0, 2))); },
                 kt::sequences(kt::arange(n)), kt::outputs_info(x));
  };
  CHECK((in_all_modes(reversed, vector{1, 2, 3}, 1) == vector{3, 2, 3}));
}

TEST_CASE("scan: several writes to one state, and states that change places", "[loops]") {
  constexpr auto twice = [](kt::dvector x, kt::lscalar n) {
    return foldl([](auto i, auto x) { 
      auto first = set_subtensor(x(i), 10 * x(i + 1));
      return inc_subtensor(first(kt::slice(0, 2)), 1);
    }, kt::sequences(kt::arange(n)), kt::outputs_info(x));
  };
  CHECK((in_all_modes(twice, vector{1, 2, 3, 4}, 3) == vector{23, 32, 40, 4}));
  constexpr auto exchanged = [](kt::dvector x, kt::dvector y, kt::lscalar n) {
    auto [a, b] = scan([](auto i, auto x, auto y) { return std::tuple(set_subtensor(y(i), 1), set_subtensor(x(i), 2)); },
                       kt::sequences(kt::arange(n)), kt::outputs_info(x, y));
    return std::tuple(a(-1), b(-1));
  };
  CHECK((in_all_modes(exchanged, vector{3, 4, 5}, vector{6, 7, 8}, 3) == std::tuple(vector{1, 2, 1}, vector{2, 1, 2})));
  // One new value is two states
  constexpr auto same = [](kt::dvector x, kt::lscalar n) {
    auto [a, b] = scan([](auto i, auto x, auto y) { auto z = set_subtensor(x(i), sum(y)); return std::tuple(z, z); },
                       kt::sequences(kt::arange(n)), kt::outputs_info(x, 2 * x));
    return std::tuple(a(-1), b(-1));
  };
  CHECK((in_all_modes(same, vector{1, 1}, 2) == std::tuple(vector{4, 5}, vector{4, 5})));
}

TEST_CASE("scan: rows are filled in a loop in a loop, and until a condition holds", "[loops]") {
  constexpr auto table = [](kt::dvector x, kt::dvector y) {
    auto rows = kt::arange(x.shape(0)), columns = kt::arange(y.shape(0));
    return foldl([&](auto i, auto t) {
      return foldl([&](auto j, auto t) { return set_subtensor(t(i, j), x(i) * y(j)); }, kt::sequences(columns), kt::outputs_info(t));
    }, kt::sequences(rows), kt::outputs_info(zeros<double>(x.shape(0), y.shape(0))));
  };
  CHECK((in_all_modes(table, vector{1, 2}, vector{3, 4, 5}) == matrix{{3, 4, 5}, {6, 8, 10}}));
  constexpr auto sieve = [](kt::lvector marks, kt::lscalar n) {
    auto [x, i] = scan([&](auto x, auto i) { return kt::until(i + 2 >= n, set_subtensor(x(i), i), i + 2); }, kt::outputs_info(marks, 0));
    return std::tuple(x(-1), i(-1));
  };
  using integers = xt::xtensor<std::int64_t, 1>;
  auto const [x, i] = in_all_modes(sieve, integers{9, 9, 9, 9, 9}, 5);
  CHECK((x == integers{0, 9, 2, 9, 4}));
  CHECK((i == 6));
}

TEST_CASE("scan: gradients and batches of arrays that loops fill", "[loops][gradients]") {
  constexpr auto slope = [](kt::dscalar a, kt::dvector x) {
    auto y = powers(a, x);
    auto [da, dx] = grad(sum(y), a, x);
    return std::tuple(da, dx);
  };
  CHECK((in_all_modes(slope, 2.0, vector{1, 5, 5, 5}) == std::tuple(1 + 4.0 + 12, vector{15, 0, 0, 0})));
  constexpr auto batch = kt::vmap<0, 1>(powers);
  CHECK((in_all_modes(batch, vector{2, 3}, matrix{{1, 0, 0}, {2, 0, 0}}) == matrix{{1, 2, 4}, {2, 6, 18}}));
}
