// What the fuzzer found, shrunk: one case for each mistake that it led to.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <kroton/runtime.hpp>

#include <limits>
#include <random>

using namespace reference;

// Its result has the shape of its operand, but starts as zeros.
TEST_CASE("a sum over no axis does not lie in its operand's memory") {
  constexpr auto as_written = kt::mode::ieee.excluding<"canonicalize", "stabilize", "hoisting", "folding">();
  auto f = kt::function([](kt::dmatrix x) { return sum(max(x, kt::axis<1>), kt::axis<>) > 0.; }, as_written);
  CHECK(f(mat<double>{{2.}})(0));
}

TEST_CASE("an interpreted loop reduces an operand before another result takes over its memory") {
  kt::runtime::graph g;
  auto x = g.input<double, 2>("x");
  auto const product = dot(x, x);
  auto f = g.function({x}, std::tuple(dot(cos(x.T()), x), sum(product)), kt::mode::fast_run.excluding<"hoisting", "blas">());
  auto const [matrix, total] = f(mat<double>{{2.}});
  CHECK(matrix(0, 0) == Approx(2 * std::cos(2.)));
  CHECK(total == Approx(4));
}

TEST_CASE("the extents of a loop are computed also where no value has them") {
  constexpr auto as_written = kt::mode::ieee.excluding<"canonicalize", "stabilize", "hoisting", "folding">()
                                  .including<"extent_of_expression">();
  auto f = kt::function([](kt::dvector x) { return sum(ones_like(x(kt::slice(kt::none, 1, 1)))); }, as_written);
  CHECK(f(vec<double>{2., 3.}) == 1);
}

TEST_CASE("ieee keeps the NaN of 0 times an infinity behind a choice") {
  auto f = kt::function([](kt::variable<bool, 1> c, kt::dvector x, kt::dvector y) { return std::tuple(where(c, 0, x) * y, where(c, 0, x) / y); },
                        kt::mode::ieee);
  auto const [product, quotient] = f(vec<bool>{true, false}, vec<double>{1., 2.}, vec<double>{std::numeric_limits<double>::infinity(), 4.});
  CHECK(std::isnan(product(0)));
  CHECK(product(1) == 8);
  CHECK(quotient(0) == 0);
  CHECK(quotient(1) == 0.5);
}

TEST_CASE("the gradient of an element that is not there is refused") {
  auto f = kt::function([](kt::dvector x, kt::lscalar i) { return kt::grad(x(i) * 2., x); });
  CHECK(f(vec<double>{1., 2.}, 1)(1) == 2);
  CHECK_THROWS_AS(f(vec<double>{1., 2.}, 5), kt::value_error);
  CHECK_THROWS_WITH(f(vec<double>{1., 2.}, -3), "index -3 is out of range: extent 0 of parameter 1 (dvector) is 2");
}

TEST_CASE("functions of the negative of an unsigned integer") {
  auto f = kt::function([](kt::vector<std::uint8_t> x) { return std::tuple(sgn(-x), abs(-x)); });
  auto const [sign, magnitude] = f(vec<std::uint8_t>{0, 1, 200});
  CHECK(sign == vec<std::uint8_t>{0, 1, 1});
  CHECK(magnitude == vec<std::uint8_t>{0, 255, 56});
}

// The maximum of a multiple is the multiple of a maximum, which may be rounded to another number than the element itself.
TEST_CASE("fuzz: the gradient of a maximum finds its element also where both are rounded apart") {
  auto f = kt::function([](kt::dvector x, kt::dvector y) {
    auto t = y * (x * 3);
    return grad(sum(t - max(t)), x);
  });
  std::mt19937 random(7);
  std::uniform_real_distribution<double> numbers(-2, 2);
  for (int round = 0; round < 300; ++round) {
    xt::xtensor<double, 1> x = xt::zeros<double>({5}), y = x;
    for (std::size_t i = 0; i < 5; ++i) x(i) = numbers(random), y(i) = numbers(random);
    std::size_t top = 0;
    for (std::size_t i = 1; i < 5; ++i)
      if (x(i) * y(i) > x(top) * y(top)) top = i;
    auto const g = f(x, y);
    for (std::size_t i = 0; i < 5; ++i) {
      CAPTURE(round, i, top);
      CHECK(std::abs(g(i) - 3 * y(i) * (i == top ? -4 : 1)) <= 1e-13);
    }
  }
}

// Nothing is rewritten, so that extents are computed from extents that are computed themselves.
TEST_CASE("fuzz: extents that depend on computed extents, without rewriting") {
  constexpr auto parts = [](kt::dvector x, kt::lscalar b) {
    auto rest = x(kt::slice(b, kt::none));
    auto inner = rest(kt::slice(1, kt::none));
    return std::tuple(inner + x(kt::slice(b, kt::none))(kt::slice(1, kt::none)), grad(sum(sqr(inner)), x));
  };
  auto check = [](auto const& f) {
    xt::xtensor<double, 1> const x{1, 2, 3, 4, 5, 6};
    for (std::int64_t b : {0, 3, 1}) {
      CAPTURE(b);
      auto const [twice, slope] = f(x, b);
      REQUIRE(twice.size() == static_cast<std::size_t>(5 - b));
      for (std::size_t i = 0; i < twice.size(); ++i) CHECK(twice(i) == 2 * x(i + 1 + static_cast<std::size_t>(b)));
      for (std::size_t i = 0; i < 6; ++i) CHECK(slope(i) == (static_cast<std::int64_t>(i) > b ? 2 * x(i) : 0));
    }
  };
  check(kt::function(parts));
  check(kt::function(parts, kt::mode::fast_compile));
  check(kt::function(parts, kt::mode::debug));
}
