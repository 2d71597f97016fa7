// Loops do no more steps than their readers read.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/suite.hpp"

#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;

/// A step fails if a state is large, so it shows in how many steps a loop is taken.
constexpr auto doubled = [](kt::dvector h, auto n) {
  return scan([](auto h) { return 2 * kt::assert_that("too large", all(h < 100), h); }, kt::outputs_info(h), kt::n_steps(n));
};

}  // namespace

TEST_CASE("scan_reduce_steps: single rows and ranges from the first on", "[loops][passes]") {
  auto const f = kt::function([](kt::dvector h, kt::lscalar n) { return doubled(h, n)(1); });
  CHECK((f(vector{1, 2}, 20) == vector{4, 8}));
  CHECK_THROWS_AS(f(vector{1, 2}, 1), kt::error);  // row 1 of one row
  auto const literal = kt::function([](kt::dvector h) {
    auto y = doubled(h, 1000);
    return std::tuple(y(4), y(kt::slice(1, 3)));
  });
  auto const [row, range] = literal(vector{1, 2});
  CHECK((row == vector{32, 64}));
  CHECK((range == xt::xtensor<double, 2>{{4, 8}, {8, 16}}));
}

TEST_CASE("scan_reduce_steps: another reader needs all steps", "[loops][passes]") {
  auto const f = kt::function([](kt::dvector h, kt::lscalar n) {
    auto y = doubled(h, n);
    return std::tuple(y(1), y(-1));
  });
  CHECK((std::get<1>(f(vector{1, 2}, 5)) == vector{32, 64}));
  CHECK_THROWS_WITH(f(vector{1, 2}, 20), Catch::Contains("too large"));
  auto const without =
      kt::function([](kt::dvector h, kt::lscalar n) { return doubled(h, n)(1); },
                   suite::mode.excluding<"N10">());
  CHECK_THROWS_WITH(without(vector{1, 2}, 20), Catch::Contains("too large"));
}

TEST_CASE("scan_reduce_steps: sequences that are too short are an error all the same", "[loops][passes][errors]") {
  auto const f = kt::function([](kt::dvector x, kt::lscalar n) {
    return scan([](auto e, auto s) { return tanh(s) + e; }, kt::sequences(x), kt::outputs_info(0.0), kt::n_steps(n))(0);
  });
  CHECK(f(vector{1, 2, 3}, 3) == 1);
  CHECK_THROWS_AS(f(vector{1, 2, 3}, 4), kt::shape_error);
  CHECK_THROWS_AS(f(vector{1, 2, 3}, -1), kt::error);
}

TEST_CASE("scan_reduce_steps: what conditions read needs all steps", "[loops][passes]") {
  // The number of rows of a range is checked against an extent that a result of the loop gives.
  auto const f = kt::function([](kt::dvector x, kt::lvector sizes) {
    auto n = scan([](auto e, auto s) { return s + e; }, kt::sequences(sizes),
                  kt::outputs_info(kt::cast<std::int64_t>(sizes(0))));
    return std::tuple(n(0), x * kt::alloc(1.0, n(2)));
  });
  using integers = xt::xtensor<std::int64_t, 1>;
  auto const [n, y] = f(vector{1, 2, 3}, integers{1, 0, 1});
  CHECK(n == 2);
  CHECK((y == vector{1, 2, 3}));
  CHECK_THROWS_AS(f(vector{1, 2, 3}, integers{1, 1, 1}), kt::shape_error);
}

TEST_CASE("scan_reduce_steps: an index that a call decides", "[loops][passes]") {
  auto const f = kt::function([](kt::dvector h, kt::lscalar n, kt::lscalar i) { return doubled(h, n)(i); });
  CHECK((f(vector{1, 2}, 20, 1) == vector{4, 8}));
  CHECK((f(vector{1, 2}, 3, -1) == vector{8, 16}));
  CHECK((f(vector{1, 2}, 20, -19) == vector{4, 8}));
  CHECK_THROWS_WITH(f(vector{1, 2}, 20, 19), Catch::Contains("too large"));
  auto const all = kt::function([](kt::dvector h, kt::lscalar n, kt::lscalar i) { return doubled(h, n)(i); },
                                suite::mode.excluding<"N10">());
  CHECK_THROWS_WITH(all(vector{1, 2}, 20, 1), Catch::Contains("too large"));
  // Indices that are out of range are the same errors.
  for (std::int64_t i : {3, 100, -4, -100}) {
    std::string with, without;
    try { f(vector{1, 2}, 3, i); } catch (kt::error const& e) { with = e.what(); }
    try { all(vector{1, 2}, 3, i); } catch (kt::error const& e) { without = e.what(); }
    CHECK(with == without);
    CHECK(with != "");
  }
  CHECK_THROWS_AS(f(vector{1, 2}, -1, 0), kt::error);
  CHECK_THROWS_AS(f(vector{1, 2}, 0, 0), kt::error);
  auto const literal = kt::function([](kt::dvector h, kt::lscalar i) { return doubled(h, 1000)(i); });
  CHECK((literal(vector{1, 2}, 4) == vector{32, 64}));
}

TEST_CASE("scan_reduce_steps: ranges that a call decides", "[loops][passes]") {
  constexpr auto part = [](kt::dvector h, kt::lscalar n, kt::lscalar a, kt::lscalar b) {
    auto y = scan([](auto h) { return 2 * h; }, kt::outputs_info(h), kt::n_steps(n));
    auto z = scan([](auto h, auto k) { return std::tuple(tanh(h) + k, k + 1); }, kt::outputs_info(h, 0.0), kt::n_steps(n));
    return std::tuple(y(kt::slice(a, b)), y(kt::slice(kt::none, b, 3)), std::get<0>(z)(kt::slice(b)) , std::get<1>(z)(kt::slice(a, kt::none)),
                      y(kt::slice(b, a, -2)));
  };
  auto const f = kt::function(part);
  auto const without = kt::function(part, suite::mode.excluding<"N10">());
  auto const written = kt::function(part, kt::mode::fast_compile);
  auto const interpreted = kt::function(part, kt::mode::interpret);
  for (std::int64_t n : {0, 1, 5, 9})
    for (std::int64_t a : {-20, -3, -1, 0, 2, 4, 20})
      for (std::int64_t b : {-20, -4, -1, 0, 1, 5, 8, 20}) {
        auto const expected = written(vector{1, 2}, n, a, b);
        CHECK((f(vector{1, 2}, n, a, b) == expected));
        CHECK((without(vector{1, 2}, n, a, b) == expected));
        CHECK((interpreted(vector{1, 2}, n, a, b) == expected));
      }
  auto const first = kt::function([](kt::dvector h, kt::lscalar n, kt::lscalar b) { return sum(doubled(h, n)(kt::slice(b)), kt::axis<0>); });
  CHECK((first(vector{1, 2}, 20, 2) == vector{6, 12}));
  CHECK((first(vector{1, 2}, 20, 0) == vector{0, 0}));
  CHECK_THROWS_WITH(first(vector{1, 2}, 20, -1), Catch::Contains("too large"));
  auto const two = kt::function([](kt::dvector h, kt::lscalar n, kt::lscalar i, kt::lscalar k) {
    auto y = doubled(h, n);
    return std::tuple(y(i), y(kt::slice(k, i)), y(1));
  });
  CHECK((std::get<0>(two(vector{1, 2}, 20, 3, 1)) == vector{16, 32}));
  CHECK((std::get<2>(two(vector{1, 2}, 20, 0, 1)) == vector{4, 8}));
  CHECK_THROWS_WITH(two(vector{1, 2}, 20, 8, 1), Catch::Contains("too large"));
}

TEST_CASE("scan_reduce_steps: an index that a call decides, in gradients and inside of loops", "[loops][passes][grad]") {
  auto const slope = kt::function([](kt::dscalar a, kt::lscalar n, kt::lscalar i) {
    return grad(scan([&](auto s) { return a * s; }, kt::outputs_info(1.0), kt::n_steps(n))(i), a);
  });
  CHECK(slope(2.0, 10, 2) == 12);
  CHECK(slope(2.0, 10, -9) == 4);
  auto const nested = kt::function([](kt::lvector rows, kt::dvector h, kt::lscalar n) {
    return foldl([&](auto i, auto s) { return 0.5 * s + sum(doubled(h * kt::cast<double>(i + 1), n)(i)); }, kt::sequences(rows),
                 kt::outputs_info(0.0));
  });
  using integers = xt::xtensor<std::int64_t, 1>;
  CHECK(nested(integers{0, 3, 1}, vector{1, 2}, 20) == 0.25 * 6 + 0.5 * 192 + 24);
  CHECK_THROWS_AS(nested(integers{0, 25, 1}, vector{1, 2}, 20), kt::error);
}
