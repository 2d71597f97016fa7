// Loops do no more steps than their readers read.
// SPDX-License-Identifier: BSD-3-Clause
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
      kt::function([](kt::dvector h, kt::lscalar n) { return doubled(h, n)(1); }, kt::mode::fast_run.excluding<"N10">());
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
